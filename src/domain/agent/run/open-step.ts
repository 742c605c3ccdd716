import { isRetrySafe } from '../../actions/configured-tool.ts';
import type { Context } from '../../context.ts';
import { type CallEntry, isCall, type TimelineEntry } from '../../conversations/timeline.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { approvedCallId, decisionOf, isApproval, REFUSED } from '../tools/approve-action.ts';
import { isCompletion } from '../tools/calls.ts';
import type { AcceptedTurn, OpenStep } from '../turn.ts';
import { type CallResult, moveRun, type Stage } from './move-run.ts';
import { finishStep, type Round, withResult } from './round.ts';

/**
 * Finishes the last step of a run that was resumed or taken over. It stores the decisions on calls that waited for an
 * approval, before their effects, and runs the actions without a result. An action without a decision may have run in a
 * process that died. Returns the timeline with the results, and the calls that still wait for the client.
 * @throws {LeaseLostError}
 */
export async function finishOpenStep(
  ctx: Context,
  turn: RunningTurn,
  entries: readonly TimelineEntry[],
  stage: Stage,
  signal: AbortSignal,
): Promise<Omit<Round, 'executed'>> {
  const isOfRun = ({ kind, runId, step }: TimelineEntry) => runId === turn.runId && step > 0 && kind !== 'summary';
  const decisions = openDecisions(entries.filter(isOfRun).filter(isCall));
  const isDecided = decisions.length > 0;
  if (isDecided) await moveRun(ctx, turn, { stage, items: [], results: decisions, pending: [], messages: 0 });
  const decided = isDecided ? entries.map((entry) => withResult(entry, decisions)) : entries;
  const openStep = openStepOf(decided.filter(isOfRun), turn, isDecided);
  if (!openStep) return { entries: decided, pending: [] };
  const done = await finishStep(ctx, turn, openStep, stage, signal);
  return { entries: withStep(decided, done.entries), pending: done.pending };
}

/** Replaces the stored entries of a step. Other entries can follow them, such as the message of a turn that failed. */
function withStep(entries: readonly TimelineEntry[], step: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const finished = new Map(step.map((entry) => [entry.id, entry]));
  return entries.map((entry) => finished.get(entry.id) ?? entry);
}

/** The decisions of a run that have not been carried out, in the order of the calls. */
function openDecisions(calls: readonly CallEntry[]): CallResult[] {
  const waiting = new Set(calls.filter(({ status }) => status === 'pending').map(({ callId }) => callId));
  return calls
    .filter((call) => isApproval(call) && call.status === 'completed' && waiting.has(approvedCallId(call)))
    .map(decided);
}

function decided(approval: CallEntry): CallResult {
  const callId = approvedCallId(approval);
  const { approved, arguments: changed, reason } = decisionOf(approval);
  if (approved) return { callId, status: 'running', output: null, arguments: changed };
  return { callId, status: 'failed', output: { error: REFUSED, ...(reason && { reason }) } };
}

/**
 * The actions of the run's last step that have no result. A process runs them in order, so it can only have started the
 * first of them.
 */
function openStepOf(
  ofRun: readonly TimelineEntry[],
  { deployment, tools }: AcceptedTurn,
  isDecided: boolean,
): OpenStep | undefined {
  const last = ofRun.at(-1)?.step;
  const ofStep = ofRun.filter(({ step }) => step === last);
  const open = ofStep.filter(isOpenAction);
  if (open.length === 0) return undefined;
  const actions = open.map((call, index) => ({
    ...call,
    isOutcomeUnknown: !isDecided && index === 0 && !mayRunAgain(call, { deployment, tools }),
  }));
  return { entries: ofStep, actions };
}

function isOpenAction(entry: TimelineEntry): entry is CallEntry {
  return isCall(entry) && entry.status === 'running' && entry.kind !== 'client_tool' && !isCompletion(entry);
}

function mayRunAgain({ name }: CallEntry, { deployment, tools }: Pick<AcceptedTurn, 'deployment' | 'tools'>): boolean {
  const tool = tools.find((offered) => offered.name === name);
  return (
    tool !== undefined && tool.kind !== 'client_tool' && isRetrySafe(deployment.config, { ...tool, kind: tool.kind })
  );
}
