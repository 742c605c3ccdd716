import { storableValue } from '../../../contract/storable-text.ts';
import { type ActionCall, type ActionResult, runAction } from '../../actions/run.ts';
import type { Context } from '../../context.ts';
import { type CallEntry, isCall, type TimelineEntry } from '../../conversations/timeline.ts';
import { elapsedMs } from '../../telemetry.ts';
import type { RunnableWorkflow } from '../../workflows/deployments.ts';
import type { ModelStep } from '../model-port.ts';
import { sealMemory } from '../prompt/step-memory.ts';
import { HandOverError } from '../rows/run-moves.ts';
import { assistantMessages } from '../rows/run-sql.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { classifyCalls, isCompletion, type NewCall } from '../tools/calls.ts';
import { isHandOver, runHandOver } from '../tools/hand-over.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { TracedCall } from '../trace/span.ts';
import type { ActionToRun, OpenStep } from '../turn.ts';
import { type CallResult, moveRun, type Stage } from './move-run.ts';

/** A stored step in which the model called tools. */
export interface Round {
  readonly entries: readonly TimelineEntry[];
  /** The calls that wait for the client. If there are any, the run is paused. */
  readonly pending: readonly CallEntry[];
  /** The server tools that were run, in order. */
  readonly executed: readonly NewCall[];
}

/**
 * Stores a step in which the model called tools, before its effects: server actions run in order, and each result is
 * stored. Then the run pauses if a client tool was called.
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
  const { deployment, tools, canPause } = turn;
  const calls = await classifyCalls(ctx, modelStep.calls, { config: deployment.config, tools, canPause });
  const pending = calls.filter(isPending);
  const executed = calls.filter(({ status }) => status === 'running');
  const actions = executed.filter((call) => !isCompletion(call));
  const pausesNow = pending.length > 0 && actions.length === 0;
  // A pause decides on every open request to complete the conversation. It is premature, because calls are pending.
  const items = [...texts, ...(pausesNow ? calls.map(premature) : calls)];
  const stored = await moveRun(ctx, turn, {
    stage,
    items,
    results: [],
    pending: pausesNow ? pending : [],
    messages: texts.length,
    memory: sealMemory(ctx, turn, stage.step, modelStep),
  });
  const entries = items.map((item, index) => ({ ...item, ...stored(index) }) as TimelineEntry);
  if (actions.length === 0) return { entries, pending: pendingOf(entries), executed };
  const openCompletions = stage.openCompletions || executed.some(isCompletion);
  const done = await finishStep(ctx, turn, { entries, actions }, { ...stage, openCompletions }, signal);
  return { ...done, executed };
}

/**
 * Runs the actions of a stored step. Each result is stored before the next action starts. So if a run dies, the outcome
 * of at most one action is unknown, and a process that lost the run starts no further action.
 * @throws {LeaseLostError}
 */
export async function finishStep(
  ctx: Context,
  turn: RunningTurn,
  { entries, actions }: OpenStep,
  stage: Stage,
  signal: AbortSignal,
): Promise<Omit<Round, 'executed'>> {
  const pending = pendingOf(entries);
  const runner = { ...turn, traced: (call: TracedCall) => turn.trace.addCall(stage.step, call) };
  const results = await runActions(ctx, runner, actions, signal, async (result, isLast) => {
    // The process that continues the run must not take an aborted action for a failed one.
    if (signal.reason instanceof HandOverError && turn.attemptsLeft > 0) throw signal.reason;
    const move = { stage, items: [], results: [result], messages: 0 };
    await moveRun(ctx, turn, { ...move, pending: isLast ? pending : [] });
  });
  const done = entries.map((entry) => withResult(entry, results));
  return { entries: done, pending: pendingOf(done) };
}

/** The result of an action that may have run in a process that died. */
const OUTCOME_UNKNOWN: ActionResult = {
  status: 'failed',
  output: {
    error:
      'Outcome unknown: the process that ran this call died. Find out whether it did anything before you repeat it.',
  },
};

/** Whose actions run: a turn's, or a one-shot run's. */
interface ActionRunner {
  readonly conversation?: Pick<RunningTurn['conversation'], 'id'>;
  readonly deployment: RunnableWorkflow;
  readonly tools: readonly OfferedTool[];
  /** Receives each call that ran, for the trace. */
  readonly traced?: (call: TracedCall) => void;
}

/** Runs server actions one after another, in the order of the model's calls. If `ended` fails, no further action starts. */
export async function runActions(
  ctx: Context,
  { conversation, deployment, tools, traced }: ActionRunner,
  calls: readonly ActionToRun[],
  signal: AbortSignal,
  ended?: (result: CallResult, isLast: boolean) => Promise<void>,
): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (const { callId, name, arguments: args, isOutcomeUnknown } of calls) {
    const tool = tools.find((offered) => offered.name === name);
    if (!tool || tool.kind === 'client_tool') throw new Error('a call was classified by another list of tools');
    const call = { callId, tool: { ...tool, kind: tool.kind }, arguments: args, conversationId: conversation?.id };
    const startedAt = ctx.now();
    const startedMs = ctx.services.process.monotonicMs();
    // Outputs can contain characters that PostgreSQL cannot store.
    const ran = isOutcomeUnknown ? OUTCOME_UNKNOWN : await runTool(ctx, deployment, call, signal);
    const { status, output } = storableValue(ran) as ActionResult;
    const result = { callId, status, output };
    traced?.({
      ...result,
      name,
      arguments: args,
      result: output,
      startedAt,
      durationMs: elapsedMs(ctx.services.process, startedMs),
    });
    results.push(result);
    await ended?.(result, results.length === calls.length);
  }
  return results;
}

/** Runs a call once. The hand-over is the only server tool that is not an action of the workflow. */
function runTool(
  ctx: Context,
  deployment: RunnableWorkflow,
  call: ActionCall,
  signal: AbortSignal,
): Promise<ActionResult> {
  if (isHandOver(call.tool)) return runHandOver(ctx, deployment.config, call);
  return runAction(ctx, deployment, call, signal);
}

function premature(call: NewCall): NewCall {
  return isCompletion(call) && call.status === 'running' ? { ...call, status: 'not_completed' } : call;
}

export function withResult(entry: TimelineEntry, results: readonly CallResult[]): TimelineEntry {
  const result = isCall(entry) ? results.find(({ callId }) => callId === entry.callId) : undefined;
  if (!result || !isCall(entry)) return entry;
  const { status, output, arguments: changed } = result;
  return { ...entry, status, output, arguments: changed ?? entry.arguments };
}

/** Whether a call waits for the client. A call that needs an approval is not one: the call that asks for it is. */
export function isPending({ kind, status }: Pick<CallEntry, 'kind' | 'status'>): boolean {
  return kind === 'client_tool' && status === 'pending';
}

function pendingOf(entries: readonly TimelineEntry[]): CallEntry[] {
  return entries.filter(isCall).filter(isPending);
}
