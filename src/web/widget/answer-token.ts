import type { TokenReply } from './frame-token.ts';
import type { UserSource } from './identity.ts';

/** The reply to a hosted page that asks for a token of the user. A source that fails signs nobody in. */
export async function replyWithToken(source: UserSource, id: number): Promise<TokenReply> {
  const made = await Promise.resolve()
    .then(source)
    .catch(() => null);
  const { token, expiresAt } =
    typeof made === 'object' ? (made ?? { token: null, expiresAt: undefined }) : { token: made, expiresAt: undefined };
  return { type: 'parley:token', id, token, expiresAt };
}
