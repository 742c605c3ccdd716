import { ServiceError } from '../../../contract/errors.ts';
import type { SessionCaller } from '../../caller.ts';
import type { PublicContext } from '../../context.ts';
import { isPassword } from '../password-hash.ts';

/**
 * Makes sure that the person at the keyboard is the member, not somebody with their session.
 * @throws {ServiceError} invalid_request
 */
export async function requireOwnPassword(
  { services }: PublicContext,
  { user }: SessionCaller,
  password: string | null | undefined,
): Promise<void> {
  const select = { passwordHash: true } as const;
  const { passwordHash } = await services.stores.prisma.user.findUniqueOrThrow({ where: { id: user.id }, select });
  if (passwordHash === null) {
    const message = 'Your account has no password, so a second factor would protect nothing. Set a password first.';
    throw new ServiceError('invalid_request', message, { param: ['password'] });
  }
  if (password != null && (await isPassword(passwordHash, password))) return;
  throw new ServiceError('invalid_request', '{param} is wrong.', { param: ['password'] });
}
