import { ServiceError } from '../../../contract/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { EnvironmentRef } from '../../caller.ts';
import { notify } from '../mail/notify.ts';
import { type Operator, operatorCaller } from '../operator.ts';
import { hashPassword } from '../password-hash.ts';
import { publishSessionChanges } from '../sessions.ts';
import { replacePassword } from './replace-password.ts';
import { createResetLink } from './reset-links.ts';

/** The result of a password reset. */
export interface PasswordReset {
  readonly userId: string;
  /** The number of revoked sessions. */
  readonly sessions: number;
}

/**
 * Replaces the password of a user, and revokes all their sessions. Writes an audit entry in each of their workspaces.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function resetPassword(
  operator: Operator,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<PasswordReset> {
  const { id: userId, actorAt } = await userOf(operator, email);
  const passwordHash = await hashPassword(password, 'password');
  const source = { ...operator, caller: { kind: 'service' } } as const;
  const ended = await inTransaction(operator.services.stores.prisma, async (tx) => {
    await notify(source, tx, { userIds: [userId], workspaceId: null }, 'password_changed', {});
    return replacePassword(operator, tx, { userId, passwordHash, provesAddress: true }, actorAt);
  });
  publishSessionChanges(operator, ended);
  return { userId, sessions: ended.length };
}

/** Creates a link with which a user sets a new password. @throws {ServiceError} not_found */
export async function createOperatorLink(operator: Operator, email: string): Promise<string> {
  const { id, actorAt } = await userOf(operator, email);
  const { services, request, now } = operator;
  const source = { publicUrl: services.settings.publicUrl, request, at: now() };
  const { url } = await inTransaction(services.stores.prisma, (tx) => createResetLink(source, tx, id, actorAt));
  return url;
}

async function userOf(operator: Operator, email: string) {
  const user = await operator.services.stores.prisma.user.findUnique({
    where: { email: email.trim().toLowerCase() },
    select: { id: true },
  });
  if (user) return { id: user.id, actorAt: (workspaceId: string) => operatorCaller(operator, anyOf(workspaceId)) };
  throw new ServiceError('not_found', 'There is no user with this email address. Check {param}.', {
    param: ['email'],
  });
}

/** The entry belongs to the whole workspace, so its environment does not matter. */
function anyOf(workspaceId: string): EnvironmentRef {
  return { id: workspaceId, kind: 'live', workspaceId };
}
