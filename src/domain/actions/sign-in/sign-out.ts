import { ServiceError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import type { Integration } from '../../integrations/reads.ts';
import { revokeTokens } from '../../integrations/revoke-tokens.ts';
import { changeSignIn, readSignIn, type SignInRecord } from './record.ts';

/**
 * Deletes the tokens and the client of an integration, and revokes the tokens if the authorization server can do that.
 * The next request shows whether the server asks for a sign-in.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function signOutOfIntegration(ctx: Context, id: string): Promise<Integration> {
  const record = await removeSignIn(ctx, id);
  await revokeTokens(ctx, record.secrets);
  return { ...record.integration, signIn: null };
}

/** Takes effect also while a process exchanges the tokens: that process cannot store its result any more. */
async function removeSignIn(ctx: Context, id: string): Promise<SignInRecord> {
  let record = await readSignIn(ctx, id);
  const { issuer } = record.integration.signIn ?? {};
  const isSignedIn = record.secrets.tokens !== undefined;
  const entry = { action: 'integration.signed_out', details: { issuer } } as const;
  const remove = (now: SignInRecord) => {
    record = now;
    return { state: null, secrets: {} };
  };
  if (await changeSignIn(ctx, record, remove, isSignedIn ? entry : undefined)) return record;
  throw new ServiceError('invalid_request', '{param} was changed at the same time. Try again.', { param: ['id'] });
}
