import { Prisma } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { type AuditInput, type AuditSource, insertAuditEntry } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';
import { endApps } from '../apps/end-apps.ts';

/** The actor of a workspace's audit entry. */
export type ActorAt = (workspaceId: string) => AuditSource['caller'];

type Source = Pick<PublicContext, 'request' | 'now'>;

/** The new password of a user. */
export interface NewPassword {
  readonly userId: string;
  readonly passwordHash: string;
  /** Default: the name stays. */
  readonly name?: string;
  /** Whether a message to the address, or the operator, proved that the user owns the address. */
  readonly provesAddress: boolean;
}

/**
 * Replaces the password of a user in `tx`, and revokes all their sessions and open links. If the user proved the
 * address, it is verified, and the password opens all their workspaces. Writes an audit entry in each of them. Returns
 * the sessions for `publishSessionChanges` after the commit.
 */
export async function replacePassword(
  source: Source,
  tx: Transaction,
  { userId, passwordHash, name, provesAddress }: NewPassword,
  actorAt: ActorAt,
): Promise<string[]> {
  await tx.user.update({ where: { id: userId }, data: { passwordHash, ...(name && { name }) } });
  if (provesAddress) {
    const unverified = { id: userId, emailVerifiedAt: null };
    const { count } = await tx.user.updateMany({ where: unverified, data: { emailVerifiedAt: source.now() } });
    if (count > 0) await removeFactors(tx, userId);
    await tx.membership.updateMany({ where: { userId }, data: { acceptsPassword: true } });
  }
  return endCredentials(source, tx, userId, 'password.reset', actorAt);
}

/**
 * Removes the password of a user whose address nobody has proved, in `tx`: a stranger may have chosen it. Revokes all
 * their sessions and open links, like `replacePassword`. A verified user keeps everything.
 * @param isSameAddress Whether the address that was proved is the one of the account. Then it is verified.
 */
export async function removeUnprovenPassword(
  source: Source,
  tx: Transaction,
  userId: string,
  isSameAddress: boolean,
  actorAt: ActorAt,
): Promise<string[]> {
  const isOpen = isSameAddress ? {} : { passwordHash: { not: null } };
  const { count } = await tx.user.updateMany({
    where: { id: userId, emailVerifiedAt: null, ...isOpen },
    data: { passwordHash: null, emailVerifiedAt: isSameAddress ? source.now() : null },
  });
  if (count === 0) return [];
  await removeFactors(tx, userId);
  return endCredentials(source, tx, userId, 'password.removed', actorAt);
}

/** Before its first proof a stranger may have set up second factors for the address. */
async function removeFactors(tx: Transaction, userId: string): Promise<void> {
  await tx.secondFactor.deleteMany({ where: { userId } });
  await tx.recoveryCode.deleteMany({ where: { userId } });
}

/** Ends the sessions, apps and open links of a user whose password changed. The row of the user must be locked. */
async function endCredentials(
  { request, now }: Source,
  tx: Transaction,
  userId: string,
  action: AuditInput['action'],
  actorAt: ActorAt,
): Promise<string[]> {
  const at = now();
  await tx.passwordReset.deleteMany({ where: { userId } });
  await tx.signInTicket.deleteMany({ where: { userId } });
  const open = { userId, revokedAt: null };
  const sessions = await tx.session.updateManyAndReturn({ where: open, data: { revokedAt: at } });
  const memberships = await tx.membership.findMany({ where: { userId }, select: { workspaceId: true } });
  for (const { workspaceId } of memberships) {
    const source = { caller: actorAt(workspaceId), environment: { workspaceId, kind: null }, request };
    const details = { sessions: sessions.filter((session) => session.workspaceId === workspaceId).length };
    await tx.$executeRaw(insertAuditEntry(source, { action, subjectId: userId, details, at }));
  }
  const apps = await endApps({ request, now, actorAt }, tx, Prisma.sql`user_id = ${userId}::uuid`);
  return [...sessions.map(({ id }) => id), ...apps];
}
