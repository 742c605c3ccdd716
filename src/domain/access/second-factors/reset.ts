import { ServiceError } from '../../../contract/errors.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { Context } from '../../context.ts';
import { endApps } from '../apps/end-apps.ts';
import { accountDb } from '../claimed-effect.ts';
import { administerMembers, requireMayTouch } from '../member-rules.ts';
import { type Operator, operatorCaller } from '../operator.ts';
import { publishSessionChanges } from '../sessions.ts';
import { auditEverywhere, type FactorChange } from './audit.ts';

/**
 * Removes all second factors of a member who lost them, and ends their sessions. Their password stays. Only for accounts
 * of this workspace alone: the administrators of one workspace must not weaken the sign-in to another one.
 * @throws {ServiceError} not_found, forbidden, invalid_request
 */
export async function resetMemberFactors(ctx: Context, userId: string): Promise<void> {
  const { workspaceId } = ctx.environment;
  // The sessions of the account and its other memberships are out of the scope of the workspace.
  const system = { ...ctx, db: accountDb(ctx) };
  const ended = await administerMembers(system, async (tx, actor, caller) => {
    await lockUser(tx, userId);
    const member = await tx.membership.findFirst({ where: { userId, workspaceId }, select: { role: true } });
    if (!member) {
      throw new ServiceError('not_found', 'There is no member with this ID. Check {param}.', { param: ['userId'] });
    }
    requireMayTouch(actor, member.role, 'userId');
    if (userId === caller.user.id) {
      const message = '{param} is your own. Remove your second factors on the page of your account.';
      throw new ServiceError('invalid_request', message, { param: ['userId'] });
    }
    if ((await tx.membership.count({ where: { userId, workspaceId: { not: workspaceId } } })) > 0) {
      const message = '{param} is a member of other workspaces too. Only the operator can reset their second factors.';
      throw new ServiceError('invalid_request', message, { param: ['userId'] });
    }
    return reset(tx, { request: ctx.request, now: ctx.now, actorAt: () => ctx.caller }, userId);
  });
  publishSessionChanges(ctx, ended);
}

/** The same for any user, by the operator. @throws {ServiceError} not_found */
export async function resetUserFactors(operator: Operator, email: string): Promise<string> {
  const { prisma } = operator.services.stores;
  const where = { email: email.trim().toLowerCase() };
  const user = await prisma.user.findUnique({ where, select: { id: true } });
  if (!user) {
    throw new ServiceError('not_found', 'There is no user with this email address. Check {param}.', {
      param: ['email'],
    });
  }
  const actorAt = (workspaceId: string) => operatorCaller(operator, { id: workspaceId, kind: 'live', workspaceId });
  const change = { request: operator.request, now: operator.now, actorAt };
  const ended = await inTransaction(prisma, (tx) => reset(tx, change, user.id));
  publishSessionChanges(operator, ended);
  return user.id;
}

async function reset(tx: Transaction, change: FactorChange, userId: string): Promise<string[]> {
  await lockUser(tx, userId);
  await tx.secondFactor.deleteMany({ where: { userId } });
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.signInTicket.deleteMany({ where: { userId } });
  const open = { userId, revokedAt: null };
  const sessions = await tx.session.updateManyAndReturn({ where: open, data: { revokedAt: change.now() } });
  await auditEverywhere(change, tx, userId, { action: 'second_factor.reset' });
  const apps = await endApps(change, tx, Prisma.sql`user_id = ${userId}::uuid`);
  return [...sessions.map(({ id }) => id), ...apps];
}

/** Also waits for a membership that an invitation gives to the user. */
async function lockUser(tx: Transaction, userId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM user_account WHERE id = ${userId}::uuid FOR UPDATE`;
}
