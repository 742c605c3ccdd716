import { Prisma } from '../../db/generated/client.ts';
import { type ActionResult, runAction } from '../actions/run.ts';
import type { Context } from '../context.ts';
import { conversationMoved } from '../conversations/moved.ts';
import type { CallEntry, TimelineEntry } from '../conversations/timeline.ts';
import type { RunnableWorkflow } from '../workflows/deployments.ts';
import { classifyCall, isCompletion, type NewCall } from './calls.ts';
import type { ModelStep } from './model-port.ts';
import { RunLost } from './run-lost.ts';
import { decidedCompletions, lockAndMove, type NewItem, spoken, storedItems } from './run-sql.ts';
import type { TurnEnd } from './settle.ts';
import { storableValue } from './storable.ts';
import type { OfferedTool } from './tools.ts';
import { type AcceptedTurn, addUsage } from './turn.ts';
import { loggedTurn } from './workflow-log.ts';

/** A stored step in which the model called tools. */
export interface Round {
  readonly entries: readonly TimelineEntry[];
  /** Calls that wait for the client: the run is paused. */
  readonly pending: readonly CallEntry[];
  /** Server tools that were run, in order. */
  readonly executed: readonly NewCall[];
}

type Stage = Omit<TurnEnd, 'completion'>;

type CallResult = ActionResult & { readonly callId: string };

/**
 * Stores a step in which the model called tools, before anything that follows from it: server actions run in order,
 * each result is stored, and then the run pauses where the client has something to do (WIRE 7).
 * @throws {RunLost}
 */
export async function storeRound(
  ctx: Context,
  turn: AcceptedTurn,
  answer: ModelStep,
  stage: Stage,
  signal: AbortSignal,
): Promise<Round> {
  const said = spoken(answer.text);
  const calls = answer.calls.map((call) => classifyCall(ctx, call, turn.tools));
  const pauses = calls.some(({ status }) => status === 'pending');
  const executed = calls.filter(({ status }) => status === 'running');
  const actions = executed.filter((call) => !isCompletion(call));
  const pausesNow = pauses && actions.length === 0;
  // A pause decides on every open request to complete the conversation: something is pending, so it is premature.
  const items = [...said, ...(pausesNow ? calls.map(premature) : calls)];
  const stored = await moveRun(ctx, turn, { stage, items, results: [], pauses: pausesNow, messages: said.length });
  const entries = items.map((item, index) => ({ ...item, ...stored(index) }) as TimelineEntry);
  if (actions.length === 0) return { entries, pending: pendingOf(entries), executed };

  const openCompletions = stage.openCompletions || executed.some(isCompletion);
  // Each result is stored before the next action begins, so that of a run that dies only one has an unknown end, and
  // none is begun by whoever has lost the run.
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

/** One statement: the step's rows or results, the run's move, and the log where it pauses. */
async function moveRun(ctx: Context, turn: AcceptedTurn, { stage, items, results, pauses, messages }: Move) {
  const { step, usage, openCompletions } = stage;
  const at = ctx.now();
  const total = addUsage(turn.usageBefore, usage);
  const responseTimeMs = at.getTime() - turn.acceptedAt.getTime();
  const outcome = 'waiting_for_client_action';
  const paused = Prisma.sql`, status = ${outcome}::run_status, lease_owner = NULL, lease_expires_at = NULL`;
  const change = Prisma.sql`
      step = ${step}, input_tokens = ${total.inputTokens}, output_tokens = ${total.outputTokens},
      updated_at = ${at}${pauses ? paused : Prisma.empty}`;
  const parts = [
    lockAndMove(ctx, turn, change, outcome),
    storedItems(items, step, at),
    ...(results.length > 0 ? [storedResults(results)] : []),
    ...(pauses && openCompletions ? [decidedCompletions(null)] : []),
    ...(pauses ? [loggedTurn(ctx, turn, { outcome, errorCode: null, step, usage, responseTimeMs, at })] : []),
    Prisma.sql`touched AS (
      UPDATE conversation SET message_count = message_count + ${messages}, updated_at = ${at}
      FROM moved WHERE conversation.id = moved.conversation_id
    )`,
  ];
  const rows = await ctx.services.sql.rows<{ id: bigint | null }>`
    WITH ${Prisma.join(parts, ', ')}
    SELECT stored.id FROM moved LEFT JOIN stored ON true ORDER BY stored.id`;
  if (rows.length === 0) throw new RunLost();
  if (pauses) ctx.services.observer.turnEnded(outcome);
  conversationMoved(ctx.services.live, ctx.environment.id, turn.conversation.id);
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

/** What actions are run for: a turn, or a one-shot run. */
interface ActionRunner {
  readonly deployment: RunnableWorkflow;
  readonly tools: readonly OfferedTool[];
}

/** Server actions run one after another, in the order that the model asked for them. */
export async function runActions(
  ctx: Context,
  { deployment, tools }: ActionRunner,
  calls: readonly NewCall[],
  signal: AbortSignal,
  store?: (result: CallResult, isLast: boolean) => Promise<void>,
): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (const { callId, name, arguments: given } of calls) {
    const tool = tools.find((offered) => offered.name === name);
    if (!tool || tool.kind === 'client_tool') throw new Error('a call was classified by another list of tools');
    const call = { tool: { ...tool, kind: tool.kind }, arguments: given };
    // What a server says may hold what cannot be stored.
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
