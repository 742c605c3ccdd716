import { ServiceError } from '../../contract/errors.ts';
import { Prisma, type Session } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { SessionCaller } from '../caller.ts';
import type { Context } from '../context.ts';
import { byCaller, endApps } from './apps/end-apps.ts';
import { credentialTopic } from './caller-ends.ts';
import { accountDb } from './claimed-effect.ts';
import { notify } from './mail/notify.ts';
import { hashPassword, isPassword } from './password-hash.ts';

/** The condition on the open sessions of the caller. Nobody reads the sessions of others. */
export function ownSessions(ctx: Context, { user }: SessionCaller) {
  return { userId: user.id, revokedAt: null, expiresAt: { gt: ctx.now() } };
}

/** The active sessions of the user, newest first. */
export function listSessions(ctx: Context, caller: SessionCaller): Promise<Session[]> {
  return ctx.db.session.findMany({
    where: ownSessions(ctx, caller),
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Revokes the session of this request. Returns false if it was revoked meanwhile. */
export async function signOut(ctx: Context, caller: SessionCaller): Promise<boolean> {
  const ended = await endOwnSession(ctx, caller, caller.id);
  publishSessionChanges(ctx, ended);
  return ended.length > 0;
}

/** Revokes one of the user's own sessions. @throws {ServiceError} not_found */
export async function revokeSession(ctx: Context, caller: SessionCaller, sessionId: string): Promise<void> {
  const ended = await endOwnSession(ctx, caller, sessionId);
  if (ended.length === 0) {
    throw new ServiceError('not_found', 'You have no active session with this ID. Check {param}.', {
      param: ['sessionId'],
    });
  }
  publishSessionChanges(ctx, ended);
}

function endOwnSession(ctx: Context, caller: SessionCaller, sessionId: string) {
  const { workspaceId } = ctx.environment;
  const mine = Prisma.sql`id = ${sessionId}::uuid AND user_id = ${caller.user.id}::uuid
                          AND workspace_id = ${workspaceId}::uuid`;
  return inTransaction(ctx.db, (tx) => endSessions(ctx, tx, mine));
}

/**
 * Changes the password of the user, and ends all their other sessions and all their apps in all workspaces.
 * @throws {ServiceError} invalid_request if the current password is wrong or the new one is too short or too long
 */
export async function changePassword(
  ctx: Context,
  { id: sessionId, user }: SessionCaller,
  { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
): Promise<void> {
  const passwordHash = await hashPassword(newPassword, 'newPassword');
  const prisma = accountDb(ctx);
  const { passwordHash: stored } = await prisma.user.findUniqueOrThrow({ where: { id: user.id } });
  if (!(await isPassword(stored, currentPassword))) {
    throw wrongPassword();
  }
  // Not scoped to the environment, because the sessions can belong to other workspaces.
  const ended = await inTransaction(prisma, async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id: user.id, passwordHash: stored },
      data: { passwordHash },
    });
    if (count === 0) throw wrongPassword();
    await tx.signInTicket.deleteMany({ where: { userId: user.id } });
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'password.changed', subjectId: user.id, at: ctx.now() }));
    await notify(ctx, tx, { userIds: [user.id], workspaceId: null }, 'password_changed', {});
    const others = await endSessions(ctx, tx, Prisma.sql`id <> ${sessionId}::uuid AND user_id = ${user.id}::uuid`);
    return [...others, ...(await endApps(byCaller(ctx), tx, Prisma.sql`user_id = ${user.id}::uuid`))];
  });
  publishSessionChanges(ctx, ended);
}

function wrongPassword(): ServiceError {
  return new ServiceError('invalid_request', '{param} is wrong.', { param: ['currentPassword'] });
}

/** Revokes the active sessions that match, in `tx`. Returns their IDs for `publishSessionChanges` after the commit. */
export async function endSessions(ctx: Context, tx: Transaction, which: Prisma.Sql): Promise<string[]> {
  const at = ctx.now();
  const ended = await tx.$queryRaw<{ id: string; workspace_id: string }[]>`
    UPDATE session SET revoked_at = ${at} WHERE revoked_at IS NULL AND ${which} RETURNING id, workspace_id`;
  for (const { id, workspace_id: workspaceId } of ended) {
    const there = { ...ctx, environment: { ...ctx.environment, workspaceId } };
    await tx.$executeRaw(insertAuditEntry(there, { action: 'session.revoked', subjectId: id, at }));
  }
  return ended.map(({ id }) => id);
}

/** Makes every process check the credentials of the open subscriptions of these sessions again. */
export function publishSessionChanges({ services }: Pick<Context, 'services'>, ids: readonly string[]): void {
  for (const id of ids) services.stores.pubSub.publish(credentialTopic(id));
}
