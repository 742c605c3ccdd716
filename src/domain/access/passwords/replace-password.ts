import type { Transaction } from '../../../db/transaction.ts';
import { type AuditSource, insertAuditEntry } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';

/** The actor of a workspace's audit entry. */
type ActorAt = (workspaceId: string) => AuditSource['caller'];

/**
 * Replaces the password of a user in `tx`, and revokes all their sessions and open links. Writes an audit entry in each of
 * their workspaces. Returns the sessions for `publishSessionChanges` after the commit.
 */
export async function replacePassword(
  { request, now }: Pick<PublicContext, 'request' | 'now'>,
  tx: Transaction,
  { userId, passwordHash }: { readonly userId: string; readonly passwordHash: string },
  actorAt: ActorAt,
): Promise<string[]> {
  const at = now();
  await tx.user.update({ where: { id: userId }, data: { passwordHash } });
  await tx.passwordReset.deleteMany({ where: { userId } });
  const open = { userId, revokedAt: null };
  const sessions = await tx.session.updateManyAndReturn({ where: open, data: { revokedAt: at } });
  const memberships = await tx.membership.findMany({ where: { userId }, select: { workspaceId: true } });
  for (const { workspaceId } of memberships) {
    const source = { caller: actorAt(workspaceId), environment: { workspaceId, kind: null }, request };
    const details = { sessions: sessions.filter((session) => session.workspaceId === workspaceId).length };
    await tx.$executeRaw(insertAuditEntry(source, { action: 'password.reset', subjectId: userId, details, at }));
  }
  return sessions.map(({ id }) => id);
}
