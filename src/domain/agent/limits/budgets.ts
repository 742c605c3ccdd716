import type { MessageContent } from '../../../contract/content.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { StepCeiling } from '../../budgets/budget-cost.ts';
import { BudgetReachedError } from '../../budgets/budget-reached.ts';
import { makeDefaults } from '../../budgets/default-budgets.ts';
import { reserve } from '../../budgets/reserve.ts';
import { placeOfCaller } from '../../budgets/spending-place.ts';
import { stopRunning } from '../../budgets/stop-running.ts';
import type { Context } from '../../context.ts';
import type { RunnableWorkflow } from '../../workflows/deployments.ts';
import { FILE_TOKENS } from '../prompt/tokens.ts';
import { WAITS_FOR_BUDGET } from '../rows/queue-sql.ts';

interface Asked {
  readonly deployment: RunnableWorkflow;
  readonly model: string;
  /** Null: a new conversation, or work without one. */
  readonly conversationId: string | null;
  /** The run that continues. Undefined: the work has no run yet, or never. */
  readonly continuedRunId?: string;
  readonly content?: MessageContent | undefined;
  /** Whether it can wait until a member raises a budget. */
  readonly canPause?: boolean | undefined;
  /** Whether nothing is lost if only its first step is refused. Then it is judged only after a refusal. */
  readonly mayTry?: boolean;
}

/**
 * Refuses work whose first step could cost more than a budget has left, before anything of it is stored, unless it can wait.
 * To judge takes a statement, so a message of a user is not judged while all steps of this process fit.
 * Reserves nothing: the step does that, with its whole prompt.
 * @throws {BudgetReachedError}
 */
export async function requireBudget(
  ctx: Context,
  { deployment, model, conversationId, continuedRunId, content = [], canPause = false, mayTry = false }: Asked,
): Promise<void> {
  const { usedUpBudgets } = ctx.services.process;
  if (!deployment.hasBudgets || (mayTry && !usedUpBudgets.get(ctx.environment.id))) return;
  const { instructions, maxReplyTokens = LIMITS.budgetReplyTokens } = deployment.config;
  const inputTokens = content.reduce((sum, part) => sum + mostOfContent(part), Buffer.byteLength(instructions));
  const ceiling: StepCeiling = { model, inputTokens, outputTokens: maxReplyTokens };
  const place = { ...placeOfCaller(ctx, deployment, conversationId), runId: continuedRunId ?? null };
  await makeDefaults(ctx, place);
  const budgets = await reserve(ctx, place, ceiling, undefined);
  if (!budgets.some(({ isReached }) => isReached)) return usedUpBudgets.delete(ctx.environment.id);
  usedUpBudgets.set(ctx.environment.id, true, 0);
  // The message of a user is for a person then, and costs nothing.
  if (mayTry && (await isHandled(ctx, conversationId))) return;
  const error = new BudgetReachedError(budgets);
  if (canPause && error.raisable && (await canWait(ctx, error.raisable.id))) return;
  await stopRunning(ctx, error);
  throw error;
}

async function isHandled({ environment, sql }: Context, conversationId: string | null): Promise<boolean> {
  if (conversationId === null) return false;
  const rows = await sql.rows`
    SELECT FROM conversation
    WHERE id = ${conversationId}::uuid AND environment_id = ${environment.id}::uuid AND handling <> 'assistant'`;
  return rows.length > 0;
}

/** Whether fewer turns wait for a budget than can. More of them would only fill the database. */
async function canWait({ environment, sql }: Context, budgetId: string): Promise<boolean> {
  const [row] = await sql.rows<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM timeline_item i
      WHERE i.environment_id = ${environment.id}::uuid AND ${WAITS_FOR_BUDGET} AND i.arguments ->> 'budget_id' = ${budgetId}
      LIMIT ${LIMITS.budgetWaits}) AS waiting`;
  return (row?.count ?? 0) < LIMITS.budgetWaits;
}

function mostOfContent(part: MessageContent[number]): number {
  return part.type === 'text' ? Buffer.byteLength(part.text) : FILE_TOKENS;
}
