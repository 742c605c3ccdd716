import { Prisma } from '../../db/generated/client.ts';
import { whenChanged } from '../../db/live.ts';
import { markedEffect } from '../access/idempotency.ts';
import type { Context } from '../context.ts';
import { conversationMoved } from '../conversations/moved.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';
import type { ResumeInput } from './agent-input.ts';
import { type AcceptedResult, judgeResume, runExpired } from './judge-resume.ts';
import { type LatestRun, type ResumeState, readResumeState } from './resume-state.ts';
import { roundOutcome } from './round-outcome.ts';
import { RunLost } from './run-lost.ts';
import { LEASE_SECONDS } from './run-registry.ts';
import { lockAndMove } from './run-sql.ts';
import { runTurn } from './run-turn.ts';
import { type OfferedTool, offeredTools } from './tools.ts';
import type { AcceptedTurn, MadeTurn, TurnResult } from './turn.ts';
import { withinRunLimit } from './turn-limits.ts';

/**
 * Takes the results of the pending calls and goes on with the run (SPEC 4.1 Resume). The state is read at one moment,
 * judged, and changed by one guarded statement under the conversation's lock; whoever finds that it moved meanwhile
 * judges again. So the first accepted result set wins, and each racing request is answered by what then holds.
 * @throws {ServiceError} what `judgeResume` throws, and run_expired
 */
export async function resumeTurn(
  ctx: Context,
  deployment: PublishedDeployment,
  input: ResumeInput,
): Promise<TurnResult> {
  const address = { conversationId: input.conversationId, deploymentId: deployment.id };
  const conversation = { conversationId: input.conversationId, config: deployment.config };
  const callIds = input.toolResults.map(({ callId }) => callId);
  const judge = async () => {
    const state = await readResumeState(ctx, address, callIds);
    const verdict = judgeResume(state, input.toolResults);
    return verdict.kind === 'wait' ? undefined : { state, verdict };
  };
  for (;;) {
    const { state, verdict } = await whenChanged(ctx.services.live, input.conversationId, judge);
    if (verdict.kind === 'replay') return roundOutcome(ctx, conversation, verdict);
    if (verdict.kind === 'expire') {
      if (await expireRun(ctx, state, verdict.run)) throw runExpired();
      continue;
    }
    const { run, results } = verdict;
    const tools = input.clientCapabilities ? await offeredTools(ctx, deployment, input.clientCapabilities) : run.tools;
    const historyLimit = input.historyLimit ?? run.historyLimit;
    const turn = await acceptResults(ctx, { deployment, state, run, results, tools, historyLimit });
    if (turn) return goOn(ctx, turn);
  }
}

/** Where another process has settled the run meanwhile, the answer is what it settled. */
async function goOn(ctx: Context, turn: AcceptedTurn): Promise<TurnResult> {
  try {
    return await runTurn(ctx, turn);
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    const conversation = { conversationId: turn.conversation.id, config: turn.deployment.config };
    return roundOutcome(ctx, conversation, { runId: turn.runId, step: turn.step });
  }
}

interface Acceptance {
  readonly deployment: PublishedDeployment;
  readonly state: ResumeState;
  readonly run: LatestRun;
  readonly results: readonly AcceptedResult[];
  readonly tools: readonly OfferedTool[];
  readonly historyLimit: number;
}

/** One statement: the run goes on under a new owner, and each call has its result. Undefined where the race was lost. */
async function acceptResults(
  ctx: Context,
  { deployment, state: { conversation }, run, results, tools, historyLimit }: Acceptance,
): Promise<AcceptedTurn | undefined> {
  const at = ctx.now();
  const change = Prisma.sql`
      status = 'running', fence = fence + 1, results_accepted = true, interrupted = false, lease_owner = ${ctx.services.runs.owner}::uuid,
      lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS}), tools = ${JSON.stringify(tools)}::jsonb,
      history_limit = ${historyLimit}, workflow_version = ${deployment.version}, request_id = ${ctx.request.id},
      updated_at = ${at}`;
  const effect = { conversationId: conversation.id, runId: run.id, step: run.step } satisfies MadeTurn;
  const moved = await withinRunLimit(
    ctx,
    (sql) => sql.changed`
    WITH ${lockAndMove(ctx, { conversation, runId: run.id, fence: run.fence }, change, 'running')}, accepted AS (
      UPDATE timeline_item
      SET status = 'completed', output = result.output, revision = nextval('timeline_revision')
      FROM moved, jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS result("callId" text, output jsonb)
      WHERE timeline_item.conversation_id = moved.conversation_id AND timeline_item.call_id = result."callId"
    )${markedEffect(ctx.request.claim, effect, 'moved')}
    UPDATE conversation SET updated_at = ${at} FROM moved WHERE conversation.id = moved.conversation_id`,
  );
  if (moved === 0) return undefined;
  conversationMoved(ctx.services.live, ctx.environment.id, conversation.id);
  return {
    runId: run.id,
    fence: run.fence + 1,
    step: run.step,
    resumed: true,
    usageBefore: { inputTokens: run.inputTokens, outputTokens: run.outputTokens },
    acceptedAt: at,
    conversation,
    deployment,
    model: deployment.config.model ?? ctx.services.defaultModel,
    historyLimit,
    tools,
    triggerId: null,
  };
}

/** A legacy run whose time is over ends, and what it waited for is cancelled. False where it moved meanwhile. */
async function expireRun(ctx: Context, { conversation }: ResumeState, run: LatestRun): Promise<boolean> {
  const at = ctx.now();
  const change = Prisma.sql`status = 'expired', updated_at = ${at}`;
  const moved = await ctx.services.sql.changed`
    WITH ${lockAndMove(ctx, { conversation, runId: run.id, fence: run.fence }, change, 'expired')}, cancelled AS (
      UPDATE timeline_item SET status = 'cancelled', revision = nextval('timeline_revision')
      FROM moved WHERE timeline_item.run_id = moved.id AND timeline_item.status = 'pending'
    )
    UPDATE conversation SET updated_at = ${at} FROM moved WHERE conversation.id = moved.conversation_id`;
  if (moved === 0) return false;
  conversationMoved(ctx.services.live, ctx.environment.id, conversation.id);
  return true;
}
