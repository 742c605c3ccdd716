import type { Transaction } from '../../../db/transaction.ts';
import { type AuditInput, insertAuditEntry } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';
import type { ActorAt } from '../passwords/replace-password.ts';

/** Who changes the second factors of a user, and when. */
export interface FactorChange extends Pick<PublicContext, 'request' | 'now'> {
  readonly actorAt: ActorAt;
}

/** Writes an audit entry about a user in each of their workspaces, because a second factor is for all of them. */
export async function auditEverywhere(
  { request, now, actorAt }: FactorChange,
  tx: Transaction,
  userId: string,
  entry: Pick<AuditInput, 'action' | 'details'>,
): Promise<void> {
  const memberships = await tx.membership.findMany({ where: { userId }, select: { workspaceId: true } });
  for (const { workspaceId } of memberships) {
    const source = { caller: actorAt(workspaceId), environment: { workspaceId, kind: null }, request };
    await tx.$executeRaw(insertAuditEntry(source, { ...entry, subjectId: userId, at: now() }));
  }
}
