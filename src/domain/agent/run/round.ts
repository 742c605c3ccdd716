import { Prisma } from '../../../db/generated/client.ts';
import { type ActionResult, runAction } from '../../actions/run.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import type { CallEntry, TimelineEntry } from '../../conversations/timeline.ts';
import { NO_LEASE } from '../../leases/lease-sql.ts';
import { elapsedMs } from '../../telemetry.ts';
import type { RunnableWorkflow } from '../../workflows/deployments.ts';
import type { RunningTurn } from '../live/running-turn.ts';
import type { ModelStep } from '../model-port.ts';
import type { TurnEnd } from '../settle/settle.ts';
import { storableValue } from '../settle/storable.ts';
import { addUsage } from '../token-usage.ts';
import { classifyCalls, isCompletion, type NewCall } from '../tools/calls.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import { LeaseLostError } from './run-moves.ts';
import { assistantMessages, decideCompletions, insertItems, lockAndMove, type NewItem } from './run-sql.ts';
import { logTurn } from './workflow-log.ts';

/** A stored step in which the model called tools. */
export interface Round {
  readonly entries: readonly TimelineEntry[];
  /** The calls that wait for the client. If there are any, the run is paused. */
  readonly pending: readonly CallEntry[];
  /** The server tools that were run, in order. */
  readonly executed: readonly NewCall[];
}

type Stage = Omit<TurnEnd, 'completion'>;

type CallResult = ActionResult & { readonly callId: string };

/**
 * Stores a step in which the model called tools, before its effects: server actions run in order, and each result is
 * stored. Then the run pauses if a client tool was called (WIRE 7).
 * @throws {LeaseLostError}
 */
export async function storeRound(
  ctx: Context,
  turn: RunningTurn,
  modelStep: ModelStep,
  stage: Stage,
  signal: AbortSignal,
): Promise<Round> {
  const texts = assistantMessages(modelStep.text);
  const calls = await classifyCalls(ctx, modelStep.calls, turn.tools);
  const pauses = calls.some(({ status }) => status === 'pending');
  const executed = calls.filter(({ status }) => status === 'running');
  const actions = executed.filter((call) => !isCompletion(call));
  const pausesNow = pauses && actions.length === 0;
  // A pause decides on every open request to complete the conversation. It is premature, because calls are pending.
  const items = [...texts, ...(pausesNow ? calls.map(premature) : calls)];
  const stored = await moveRun(ctx, turn, { stage, items, results: [], pauses: pausesNow, messages: texts.length });
  const entries = items.map((item, index) => ({ ...item, ...stored(index) }) as TimelineEntry);
  if (actions.length === 0) return { entries, pending: pendingOf(entries), executed };

  const openCompletions = stage.openCompletions || executed.some(isCompletion);
  // Each result is stored before the next action starts. So if a run dies, the outcome of at most one action is
  // unknown, and a process that lost the run starts no further action.
  const results = await runActions(ctx, turn, actions, signal, async (result, isLast) => {
    const move = { stage: { ...stage, openCompletions }, items: [], results: [result], messages: 0 };
    await moveRun(ctx, turn, { ...move, pauses: pauses && isLast });
  });
  const done = entries.map((entry) => withResult(entry, results));
  return { entries: done, pending: pendingOf(done), executed };
}

interface Move {
  readonly stage: Stage;
  readonly items: readonly NewItem[];
  readonly results: readonly CallResult[];
  readonly pauses: boolean;
  readonly messages: number;
}

/** One statement stores the step's rows or results, updates the run, and writes the log if the run pauses. */
async function moveRun(ctx: Context, turn: RunningTurn, { stage, items, results, pauses, messages }: Move) {
  const { step, usage, openCompletions } = stage;
  const at = ctx.now();
  const total = addUsage(turn.usageBefore, usage);
  const responseTimeMs = elapsedMs(ctx.services, turn.acceptedMs);
  const outcome = 'waiting_for_client_action';
  const paused = Prisma.sql`, status = ${outcome}::run_status, ${NO_LEASE}`;
  const change = Prisma.sql`
      step = ${step}, input_tokens = ${total.inputTokens}, output_tokens = ${total.outputTokens},
      updated_at = ${at}${pauses ? paused : Prisma.empty}`;
  const parts = [
    lockAndMove(ctx, turn, change, outcome),
    ...(await ctx.services.liveTurns.sealed(turn.live)),
    insertItems(items, step, at),
    ...(results.length > 0 ? [storedResults(results)] : []),
    ...(pauses && openCompletions ? [decideCompletions(null)] : []),
    ...(pauses ? [logTurn(ctx, turn, { outcome, errorCode: null, step, usage, responseTimeMs, at })] : []),
    Prisma.sql`touched AS (
      UPDATE conversation SET message_count = message_count + ${messages}, updated_at = ${at}
      FROM moved WHERE conversation.id = moved.conversation_id
    )`,
  ];
  const rows = await ctx.sql.rows<{ id: bigint | null }>`
    WITH ${Prisma.join(parts, ', ')}
    SELECT stored.id FROM moved LEFT JOIN stored ON true ORDER BY stored.id`;
  if (rows.length === 0) throw new LeaseLostError();
  turn.live.markDeleted();
  if (pauses) ctx.services.observer.turnEnded(outcome);
  publishConversationChange(ctx.services.pubSub, ctx.environment.id, turn.conversation.id);
  return (index: number) => ({ id: rows[index]?.id ?? 0n, runId: turn.runId, step });
}

function storedResults(results: Move['results']): Prisma.Sql {
  return Prisma.sql`resulted AS (
      UPDATE timeline_item
      SET status = result.status, output = result.output, revision = nextval('timeline_revision')
      FROM moved, jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
        AS result("callId" text, status call_status, output jsonb)
      WHERE timeline_item.conversation_id = moved.conversation_id AND timeline_item.call_id = result."callId"
    )`;
}

/** Whose actions run: a turn's, or a one-shot run's. */
interface ActionRunner {
  readonly deployment: RunnableWorkflow;
  readonly tools: readonly OfferedTool[];
}

/** Runs server actions one after another, in the order of the model's calls. */
export async function runActions(
  ctx: Context,
  { deployment, tools }: ActionRunner,
  calls: readonly NewCall[],
  signal: AbortSignal,
  store?: (result: CallResult, isLast: boolean) => Promise<void>,
): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (const { callId, name, arguments: args } of calls) {
    const tool = tools.find((offered) => offered.name === name);
    if (!tool || tool.kind === 'client_tool') throw new Error('a call was classified by another list of tools');
    const call = { callId, tool: { ...tool, kind: tool.kind }, arguments: args };
    // Outputs can contain characters that PostgreSQL cannot store.
    const { status, output } = storableValue(await runAction(ctx, deployment, call, signal)) as ActionResult;
    const result = { callId, status, output };
    results.push(result);
    await store?.(result, results.length === calls.length);
  }
  return results;
}

function premature(call: NewCall): NewCall {
  return isCompletion(call) && call.status === 'running' ? { ...call, status: 'not_completed' } : call;
}

export function withResult(entry: TimelineEntry, results: readonly CallResult[]): TimelineEntry {
  const result = entry.kind === 'message' ? undefined : results.find(({ callId }) => callId === entry.callId);
  return result ? ({ ...entry, status: result.status, output: result.output } as CallEntry) : entry;
}

function pendingOf(entries: readonly TimelineEntry[]): CallEntry[] {
  return entries.filter((entry): entry is CallEntry => entry.kind !== 'message' && entry.status === 'pending');
}
