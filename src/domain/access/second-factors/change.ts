import { ServiceError } from '../../../contract/errors.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { SessionCaller } from '../../caller.ts';
import type { PublicContext } from '../../context.ts';
import { accountDb } from '../claimed-effect.ts';
import { auditEverywhere } from './audit.ts';
import { confirmedOf } from './factors.ts';
import { requireOwnPassword } from './own-password.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';

/** Locks the user, and runs `work` for a member who sent their password. @throws {ServiceError} invalid_request */
async function changeOwn<T>(
  open: PublicContext,
  caller: SessionCaller,
  password: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  await requireOwnPassword(open, caller, password);
  return inTransaction(accountDb(open), async (tx) => {
    await tx.$queryRaw`SELECT id FROM user_account WHERE id = ${caller.user.id}::uuid FOR UPDATE`;
    return work(tx);
  });
}

function changeBy(open: PublicContext, caller: SessionCaller) {
  return { request: open.request, now: open.now, actorAt: () => caller };
}

/**
 * Removes a second factor of the member. With the last one the recovery codes end.
 * @throws {ServiceError} not_found; invalid_request if a workspace of the member requires the last one
 */
export function removeFactor(
  open: PublicContext,
  caller: SessionCaller,
  { secondFactorId, password }: { readonly secondFactorId: string; readonly password: string },
): Promise<void> {
  const userId = caller.user.id;
  return changeOwn(open, caller, password, async (tx) => {
    const { count } = await tx.secondFactor.deleteMany({ where: { ...confirmedOf(userId), id: secondFactorId } });
    if (count === 0) {
      const message = 'You have no second factor with this ID. Check {param}.';
      throw new ServiceError('not_found', message, { param: ['secondFactorId'] });
    }
    if ((await tx.secondFactor.count({ where: confirmedOf(userId) })) === 0) await requireNoRule(tx, userId);
    await auditEverywhere(changeBy(open, caller), tx, userId, { action: 'second_factor.removed' });
  });
}

async function requireNoRule(tx: Transaction, userId: string): Promise<void> {
  const where = { userId, workspace: { secondFactorRequired: true } };
  if ((await tx.membership.count({ where })) > 0) {
    const message = '{param}: a workspace of yours requires a second factor. Add another one first.';
    throw new ServiceError('invalid_request', message, { param: ['secondFactorId'] });
  }
  await tx.recoveryCode.deleteMany({ where: { userId } });
}

/** Replaces the recovery codes of the member. Returns the codes, which are shown once. @throws {ServiceError} invalid_request */
export function createRecoveryCodes(open: PublicContext, caller: SessionCaller, password: string): Promise<string[]> {
  const userId = caller.user.id;
  return changeOwn(open, caller, password, async (tx) => {
    if ((await tx.secondFactor.count({ where: confirmedOf(userId) })) === 0) {
      throw new ServiceError('invalid_request', 'Recovery codes replace a second factor. Add one first.');
    }
    await auditEverywhere(changeBy(open, caller), tx, userId, { action: 'recovery_codes.created' });
    return replaceRecoveryCodes(tx, userId, open.now());
  });
}
