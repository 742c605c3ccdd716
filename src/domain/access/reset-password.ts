import { ServiceError } from '../../contract/errors.ts';
import { insertAuditEntry } from '../audit/append.ts';
import { credentialTopic } from './caller-ends.ts';
import { type Operator, operatorCaller } from './operator.ts';
import { hashPassword } from './passwords.ts';

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
  const { prisma, pubSub } = operator.services;
  const user = await prisma.user.findUnique({
    where: { email: email.trim().toLowerCase() },
    include: { memberships: { select: { workspace: { select: { environments: true } } } } },
  });
  if (!user) {
    throw new ServiceError('not_found', 'There is no user with this email address. Check {param}.', {
      param: ['email'],
    });
  }
  const passwordHash = await hashPassword(password, 'password');
  const at = operator.now();
  const ended = await prisma.$transaction(async (tx) => {
    await tx.user.update({ where: { id: user.id }, data: { passwordHash } });
    const open = { userId: user.id, revokedAt: null };
    const sessions = await tx.session.updateManyAndReturn({ where: open, data: { revokedAt: at } });
    for (const { workspace } of user.memberships) {
      const [environment] = workspace.environments;
      if (!environment) continue;
      const { workspaceId } = environment;
      const source = {
        caller: operatorCaller(operator, environment),
        environment: { workspaceId, kind: null },
        request: operator.request,
      };
      const details = { sessions: sessions.filter((session) => session.workspaceId === workspaceId).length };
      await tx.$executeRaw(insertAuditEntry(source, { action: 'password.reset', subjectId: user.id, details, at }));
    }
    return sessions;
  });
  for (const { id } of ended) pubSub.publish(credentialTopic(id));
  return { userId: user.id, sessions: ended.length };
}
