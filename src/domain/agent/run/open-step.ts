import { isRetrySafe } from '../../actions/configured-tool.ts';
import type { Context } from '../../context.ts';
import type { CallEntry, TimelineEntry } from '../../conversations/timeline.ts';
import type { RunningTurn } from '../live/running-turn.ts';
import { approvedCallId, decisionOf, isApproval } from '../tools/approve-action.ts';
import { isCompletion } from '../tools/calls.ts';
import type { AcceptedTurn, OpenStep } from '../turn.ts';
import { type CallResult, moveRun, type Stage } from './move-run.ts';

/**
 * Stores the decisions on calls that waited for an approval, before their effects. Returns the timeline with them, and
 * the actions of the last step that have to run. An action without a decision may have run in a process that died.
 */
export async function reopenStep(
  ctx: Context,
  turn: RunningTurn,
  entries: readonly TimelineEntry[],
  stage: Stage,
): Promise<{ readonly entries: readonly TimelineEntry[]; readonly openStep: OpenStep | undefined }> {
  const decisions = openDecisions(entries, turn.runId);
  if (decisions.length === 0) return { entries, openStep: openStepOf(entries, turn, false) };
  await moveRun(ctx, turn, { stage, items: [], results: decisions, pending: [], messages: 0 });
  const decided = entries.map((entry) => withDecision(entry, decisions));
  return { entries: decided, openStep: openStepOf(decided, turn, true) };
}

/** The decisions of a run that have not been carried out, in the order of the calls. */
function openDecisions(entries: readonly TimelineEntry[], runId: string): CallResult[] {
  const calls = entries.filter((entry): entry is CallEntry => entry.kind !== 'message' && entry.runId === runId);
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

const REFUSED = 'This call was refused, so it was not run. Do not repeat it unless the user asks for it.';

function withDecision(entry: TimelineEntry, decisions: readonly CallResult[]): TimelineEntry {
  const decision = entry.kind === 'message' ? undefined : decisions.find(({ callId }) => callId === entry.callId);
  if (!decision || entry.kind === 'message') return entry;
  const { status, output, arguments: changed } = decision;
  return { ...entry, status, output, arguments: changed ?? entry.arguments };
}

/**
 * The actions of the run's last step that have no result. A process runs them in order, so it can only have started the
 * first of them.
 */
function openStepOf(entries: readonly TimelineEntry[], turn: AcceptedTurn, isDecided: boolean): OpenStep | undefined {
  const ofRun = entries.filter(({ runId, step }) => runId === turn.runId && step > 0);
  const last = ofRun.at(-1)?.step;
  const ofStep = ofRun.filter(({ step }) => step === last);
  const open = ofStep.filter(isOpenAction);
  if (open.length === 0) return undefined;
  const actions = open.map((call, index) => ({
    ...call,
    isOutcomeUnknown: !isDecided && index === 0 && !mayRunAgain(call, turn),
  }));
  return { entries: ofStep, actions };
}

function isOpenAction(entry: TimelineEntry): entry is CallEntry {
  return entry.kind !== 'message' && entry.status === 'running' && entry.kind !== 'client_tool' && !isCompletion(entry);
}

function mayRunAgain({ name }: CallEntry, { deployment, tools }: AcceptedTurn): boolean {
  const tool = tools.find((offered) => offered.name === name);
  return (
    tool !== undefined && tool.kind !== 'client_tool' && isRetrySafe(deployment.config, { ...tool, kind: tool.kind })
  );
}
