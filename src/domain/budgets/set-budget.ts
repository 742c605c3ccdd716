import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { ACTIVE_RUN_STATUSES } from '../../contract/statuses.ts';
import { type Budget, Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { newTypeId } from '../type-id.ts';
import { lockModelPrices, requirePrices } from '../workflows/needed-prices.ts';
import { auditedBudget } from './audited-budget.ts';
import { type BudgetInput, type NewBudget, type Place, parseBudget } from './budget-input.ts';
import { periodStartSql } from './periods.ts';
import { stopRunning } from './stop-running.ts';

/**
 * Sets the budget of a place and a period. An earlier one is replaced: it keeps what was spent in the current period if
 * its unit is the same. It takes effect with the next model step of work
 * to which a budget already applies, and with all later work. One that stops and is used up stops running turns.
 * @throws {ServiceError} invalid_request, not_found
 */
export async function setBudget(ctx: Context, input: BudgetInput): Promise<Budget> {
  const budget = parseBudget(input);
  for (;;) {
    try {
      const after = await setOnce(ctx, budget);
      const isUsedUp = after.onReached === 'stop' && after.spent.gte(after.amount);
      if (isUsedUp) await stopRunning(ctx, { stoppedPlaces: [after.place] });
      return after;
    } catch (error) {
      if (!(error instanceof MadeMeanwhileError)) throw error;
    }
  }
}

/** A turn made a default budget for the same place after this call had read that it does not exist. */
class MadeMeanwhileError extends Error {}

function setOnce(ctx: Context, budget: NewBudget): Promise<Budget> {
  return inTransaction(ctx.db, async (tx) => {
    const deploymentIds = await requirePlace(tx, budget.place);
    if (budget.unit === 'money') {
      await lockModelPrices(ctx, tx);
      await requirePrices(ctx, tx, deploymentIds);
    }
    // Concurrent calls for the same place run one after another, and cannot exceed the limit together.
    await tx.$executeRaw`UPDATE environment SET has_budgets = true WHERE id = ${ctx.environment.id}::uuid`;
    const key = { environmentId: ctx.environment.id, place: budget.place.text, period: budget.period };
    const where = { environmentId_place_period: key };
    await tx.$queryRaw`
      SELECT 1 FROM budget WHERE environment_id = ${key.environmentId}::uuid AND place = ${key.place} AND period = ${key.period} FOR NO KEY UPDATE`;
    const before = await tx.budget.findUnique({ where });
    if (!before || before.isDefault) await requireBelowLimit(tx);
    const id = before?.id ?? newTypeId('bud');
    await store(ctx, tx, budget, id);
    // What running steps reserved has the former unit.
    if (before && before.unit !== budget.unit)
      await tx.budgetReservation.deleteMany({ where: { budgetId: before.id } });
    const after = await tx.budget.findUniqueOrThrow({ where });
    if (after.id !== id) throw new MadeMeanwhileError();
    const details = { ...auditedBudget(ctx, after), ...(before && { before: auditedBudget(ctx, before) }) };
    const entry = { action: 'budget.set', subjectId: after.id, details, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    return after;
  });
}

/** Returns the deployments that the place covers. Null: all. @throws {ServiceError} not_found */
async function requirePlace(
  tx: Transaction,
  { deploymentId, conversationId, runId }: Place,
): Promise<readonly string[] | null> {
  if (deploymentId !== null) {
    if (await tx.deployment.findFirst({ where: { id: deploymentId }, select: { id: true } })) return [deploymentId];
    throw notFound('There is no deployment with this ID in this workspace. Check {param}.', 'deploymentId');
  }
  if (runId !== null) return [await deploymentOfRun(tx, runId)];
  if (conversationId === null) return null;
  const conversation = await tx.conversation.findFirst({
    where: { id: conversationId },
    select: { deploymentId: true },
  });
  if (conversation) return [conversation.deploymentId];
  throw notFound('There is no conversation with this ID in this environment. Check {param}.', 'conversationId');
}

/** @throws {ServiceError} not_found; invalid_request if the run has ended */
async function deploymentOfRun(tx: Transaction, id: string): Promise<string> {
  const select = { status: true, conversation: { select: { deploymentId: true } } } as const;
  const run = await tx.run.findFirst({ where: { id }, select });
  if (!run) throw notFound('There is no run with this ID in this environment. Check {param}.', 'runId');
  if (ACTIVE_RUN_STATUSES.includes(run.status)) return run.conversation.deploymentId;
  const message = 'The run in {param} has ended, so that a budget has no effect. Set the budget of its conversation.';
  throw new ServiceError('invalid_request', message, { param: ['runId'] });
}

function notFound(message: string, field: string): ServiceError {
  return new ServiceError('not_found', message, { param: [field] });
}

async function requireBelowLimit(tx: Transaction): Promise<void> {
  if ((await tx.budget.count({ where: { isDefault: false } })) < LIMITS.environmentBudgets) return;
  const message = `An environment can have at most ${formatCount(LIMITS.environmentBudgets)} budgets. Remove one first.`;
  throw new ServiceError('invalid_request', message);
}

/**
 * One statement, so that what a model step spends at the same time is not lost. `warned_at` and `reached_at` stay if the
 * new budget is used up as far.
 */
async function store({ environment, now }: Context, tx: Transaction, budget: NewBudget, id: string): Promise<void> {
  const { place, period, unit, amount, warnAt, onReached, expiresAfterSeconds, onExpiry } = budget;
  const at = Prisma.sql`${now()}::timestamptz`;
  const start = periodStartSql(Prisma.sql`${period}::text`, at, Prisma.sql`e.time_zone`);
  const isSame = Prisma.sql`budget.unit = excluded.unit AND budget.period_start >= excluded.period_start`;
  const used = Prisma.sql`budget.spent`;
  await tx.$executeRaw`
    INSERT INTO budget (environment_id, id, place, deployment_id, conversation_id, run_id, end_user, period, unit, amount, warn_at,
      on_reached, expires_after_seconds, on_expiry, period_start, created_at, updated_at)
    SELECT e.id, ${id}, ${place.text}, ${place.deploymentId}::uuid, ${place.conversationId}::uuid, ${place.runId}::uuid, ${place.endUser}, ${period},
      ${unit}, ${amount}::numeric, ${warnAt}::numeric, ${onReached}, ${expiresAfterSeconds}::int,
      ${onExpiry && JSON.stringify(onExpiry)}::jsonb, ${start}, ${at}, ${at}
    FROM environment e WHERE e.id = ${environment.id}::uuid
    ON CONFLICT (environment_id, place, period) DO UPDATE SET
      is_default = false, unit = excluded.unit, amount = excluded.amount, warn_at = excluded.warn_at, on_reached = excluded.on_reached,
      expires_after_seconds = excluded.expires_after_seconds, on_expiry = excluded.on_expiry, raised = 0,
      spent = CASE WHEN ${isSame} THEN ${used} ELSE 0 END,
      reserved = CASE WHEN budget.unit = excluded.unit THEN budget.reserved ELSE 0 END,
      period_start = greatest(budget.period_start, excluded.period_start),
      warned_at = CASE WHEN ${isSame} AND ${used} >= excluded.amount * excluded.warn_at THEN budget.warned_at END,
      reached_at = CASE WHEN ${isSame} AND (${used} >= excluded.amount OR excluded.amount <= budget.amount + budget.raised) THEN budget.reached_at END,
      updated_at = excluded.updated_at`;
}
