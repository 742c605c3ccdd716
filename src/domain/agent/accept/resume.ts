import { RAISE_BUDGET_TOOL } from '../../../contract/client-tools.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { effectCte, heldClaim, underClaim } from '../../access/claimed-effect.ts';
import { isVisitorsShare, shareOf } from '../../access/shares.ts';
import { raiseBudgets } from '../../budgets/raise.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange, publishLifecycleChange } from '../../conversations/publish-change.ts';
import type { HistoryLimit } from '../../conversations/timeline.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { recordUses } from '../../files/use.ts';
import type { PublishedDeployment } from '../../workflows/deployments.ts';
import { attemptsLeft } from '../limits/attempts.ts';
import { requireBudget } from '../limits/budgets.ts';
import { withinRunLimit } from '../limits/turn-limits.ts';
import { conversationOfMoved, itemsOfMoved, lockAndMove } from '../rows/run-sql.ts';
import { startedTurn, startTurn } from '../run/background.ts';
import { roundOutcome } from '../run/round-outcome.ts';
import { runToOutcome } from '../run/run-to-outcome.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import { raisesIn } from '../tools/raise-budget.ts';
import { offeredTools } from '../tools/tools.ts';
import type { AcceptedTurn, RecordedTurn, StartedTurn, TurnResult } from '../turn.ts';
import type { ResumeInput } from './agent-input.ts';
import { auditAnswers, memberOf } from './audit-answers.ts';
import { type AcceptedResult, judgeResume, runExpired } from './judge-resume.ts';
import { requireResultFiles, resultFileIds } from './result-files.ts';
import { type LatestRun, type ResumeState, readResumeState } from './resume-state.ts';
import { leaseOf } from './turn-rows.ts';

/**
 * Accepts the results of the pending calls and continues the run. It reads the state, judges it, and
 * changes it with one guarded statement under the conversation's lock. If the state changed meanwhile, it judges again.
 * So the first accepted result set wins, and every racing request gets the outcome of that state.
 * @throws {ServiceError} the errors of `judgeResume`, and run_expired
 */
export async function resumeTurn(
  ctx: Context,
  deployment: PublishedDeployment,
  input: ResumeInput,
  background: boolean,
): Promise<TurnResult | StartedTurn> {
  const address = { conversationId: input.conversationId, deploymentId: deployment.id };
  const conversation = { conversationId: input.conversationId, config: deployment.config };
  const callIds = input.toolResults.map(({ callId }) => callId);
  const judge = async () => {
    const state = await readResumeState(ctx, address, callIds);
    const verdict = judgeResume(state, input.toolResults, ctx.caller);
    return verdict.kind === 'wait' ? undefined : { state, verdict };
  };
  for (;;) {
    const { state, verdict } = await ctx.services.process.runs.waitForResult(input.conversationId, judge);
    if (verdict.kind === 'replay') return replay(ctx, conversation, verdict, background);
    if (verdict.kind === 'expire') {
      if (await expireRun(ctx, state, verdict.run)) throw runExpired();
      continue;
    }
    const { run, results } = verdict;
    await requireRoom(ctx, deployment, state, run.id);
    await requireResultFiles(ctx, state, results);
    const tools = input.clientCapabilities
      ? keepHints(await offeredTools(ctx, deployment, input.clientCapabilities), run.tools)
      : run.tools;
    const historyLimit = input.historyLimit ?? run.historyLimit;
    const turn = await acceptResults(ctx, { deployment, state, run, results, tools, historyLimit, background });
    if (turn) return runResumed(ctx, turn, background);
  }
}

/** A visitor's run stays in the budget of visitors, even if somebody else answers. */
function keptShare(ctx: Context): Prisma.Sql {
  const column = Prisma.sql`run.share_key`;
  return Prisma.sql`CASE WHEN ${isVisitorsShare(column)} THEN ${column} ELSE ${shareOf(ctx)} END`;
}

/** An answer to the question of a budget does not need its room. @throws {BudgetReachedError} */
async function requireRoom(
  ctx: Context,
  deployment: PublishedDeployment,
  { conversation, calls }: ResumeState,
  continuedRunId: string,
) {
  if (calls.some(({ name }) => name === RAISE_BUDGET_TOOL)) return;
  const model = deployment.config.model ?? ctx.services.settings.defaultModel;
  await requireBudget(ctx, { deployment, model, conversationId: conversation.id, continuedRunId, canPause: true });
}

/** A tool only reads if all lists of the run say so: a call before the resume must not change its meaning. */
function keepHints(tools: readonly OfferedTool[], earlier: readonly OfferedTool[]): OfferedTool[] {
  const readOnly = new Set(earlier.filter((tool) => tool.isReadOnly).map(({ name }) => name));
  return tools.map(({ isReadOnly, ...tool }) =>
    isReadOnly && readOnly.has(tool.name) ? { ...tool, isReadOnly } : tool,
  );
}

function runResumed(ctx: Context, turn: AcceptedTurn, background: boolean): Promise<TurnResult> | StartedTurn {
  return background ? startTurn(ctx, turn) : runToOutcome(ctx, turn);
}

const MOVED = { from: 'moved', id: Prisma.sql`(SELECT conversation_id FROM moved)` } as const;

/** The outcome of the same results, which an earlier request sent. */
function replay(
  ctx: Context,
  conversation: Parameters<typeof roundOutcome>[1],
  round: Parameters<typeof roundOutcome>[2],
  background: boolean,
): Promise<TurnResult> | StartedTurn {
  const { conversationId } = conversation;
  return background ? startedTurn(ctx, { conversationId, ...round }) : roundOutcome(ctx, conversation, round);
}

interface Acceptance {
  readonly deployment: PublishedDeployment;
  readonly state: ResumeState;
  readonly run: LatestRun;
  readonly results: readonly AcceptedResult[];
  readonly tools: readonly OfferedTool[];
  readonly historyLimit: HistoryLimit;
  readonly background: boolean;
}

/** One statement gives the run a new owner and each call its result. Returns undefined if another request was first. */
export async function acceptResults(
  ctx: Context,
  { deployment, state: { conversation, calls }, run, results, tools, historyLimit, background }: Acceptance,
): Promise<AcceptedTurn | undefined> {
  const at = ctx.now();
  const acceptedMs = ctx.services.process.monotonicMs();
  const attempts = attemptsLeft(deployment.config, background);
  const change = Prisma.sql`
      status = 'running', fence = fence + 1, results_accepted = true, interrupted = false,
      (lease_owner, lease_expires_at) = (SELECT ${leaseOf(ctx, background)}), attempts_left = ${attempts},
      background = ${background}, share_key = ${keptShare(ctx)}, accepted_at = ${at}, tools = ${JSON.stringify(tools)}::jsonb, history_limit = ${historyLimit}, workflow_version = ${deployment.version}, request_id = ${ctx.request.id},
      updated_at = ${at}`;
  const effect = { conversationId: conversation.id, runId: run.id, step: run.step } satisfies RecordedTurn;
  const raises = raiseBudgets(ctx, raisesIn(calls, results));
  const store = (sql: Sql) => sql.execute`
    WITH ${heldClaim(ctx.request.claim)}, ${lockAndMove(ctx, { conversation, runId: run.id, fence: run.fence }, change, 'running')}, accepted AS (
      UPDATE timeline_item
      SET status = 'completed', output = result.output, answered_by = ${memberOf(ctx)}::uuid,
          revision = next_revision()
      FROM moved, jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS result("callId" text, output jsonb)
      WHERE timeline_item.conversation_id = (SELECT conversation_id FROM moved)
        AND timeline_item.environment_id = ${ctx.environment.id}::uuid AND timeline_item.call_id = result."callId"
    )${raises.length > 0 ? Prisma.sql`, ${Prisma.join(raises, ', ')}` : Prisma.empty}${recordUses(ctx, resultFileIds({ calls }, results), 'conversation_id', MOVED)}${auditAnswers(ctx, { conversation, calls, results, at })}${effectCte(ctx.request.claim, effect, 'moved')}
    UPDATE conversation SET updated_at = ${at} FROM moved, held
      WHERE ${conversationOfMoved(ctx)}`;
  const count = await underClaim(ctx.request.claim, () => withinRunLimit(ctx, background, store));
  if (count === 0) return undefined;
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversation.id);
  return {
    runId: run.id,
    fence: run.fence + 1,
    step: run.step,
    resumed: true,
    usageBefore: run.usage,
    acceptedAt: at,
    acceptedMs,
    conversation,
    deployment,
    model: deployment.config.model ?? ctx.services.settings.defaultModel,
    historyLimit,
    tools,
    triggerId: null,
    attemptsLeft: attempts,
    canPause: true,
  };
}

/**
 * Ends a legacy run whose time limit has passed, and cancels its pending calls. Returns false if it changed meanwhile.
 */
async function expireRun(ctx: Context, { conversation }: ResumeState, run: LatestRun): Promise<boolean> {
  const at = ctx.now();
  const change = Prisma.sql`status = 'expired', updated_at = ${at}`;
  const count = await ctx.sql.execute`
    WITH ${lockAndMove(ctx, { conversation, runId: run.id, fence: run.fence }, change, 'expired')}, cancelled AS (
      UPDATE timeline_item SET status = 'cancelled', revision = next_revision()
      FROM moved WHERE ${itemsOfMoved(ctx)} AND timeline_item.status = 'pending'
    ), ${runEvents('moved')}
    UPDATE conversation SET updated_at = ${at} FROM moved
      WHERE ${conversationOfMoved(ctx)}`;
  if (count === 0) return false;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversation.id);
  return true;
}
