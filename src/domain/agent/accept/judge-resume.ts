import { isDeepStrictEqual } from 'node:util';
import { DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { type FieldPath, ServiceError } from '../../../contract/errors.ts';
import type { Caller } from '../../caller.ts';
import { canDecide } from '../../conversations/visible-calls.ts';
import { checkOutput } from '../tools/client-tool-rules.ts';
import { approverOf } from '../tools/decision.ts';
import { invalidResult } from '../tools/output-problem.ts';
import type { ToolResult } from './agent-input.ts';
import type { LatestRun, ResumeState, RoundCall } from './resume-state.ts';

/** A tool result whose form is valid. */
export interface AcceptedResult {
  readonly callId: string;
  readonly output: Readonly<Record<string, unknown>>;
}

/** What to do with a valid resume request. */
export type Verdict =
  | { readonly kind: 'accept'; readonly run: LatestRun; readonly results: readonly AcceptedResult[] }
  /** The same results were accepted before: the retry gets the outcome of the first request. */
  | { readonly kind: 'replay'; readonly runId: string; readonly step: number }
  | { readonly kind: 'expire'; readonly run: LatestRun }
  /** Server tools of the same step still run: the run has not paused yet. */
  | { readonly kind: 'wait' };

/**
 * The ordered checks of a resumption, on one snapshot of the conversation.
 * @throws {ServiceError} conversation_completed, invalid_tool_result, unknown_call_id, action_result_conflict,
 * missing_tool_results, action_expired, forbidden
 */
export function judgeResume(
  { conversation, run, calls }: ResumeState,
  toolResults: readonly ToolResult[],
  caller: Caller,
): Verdict {
  if (conversation.status === 'completed') throw conversationCompleted(conversation);
  const results = wellFormed(toolResults);
  const named = namedCalls(calls, results);
  if (named.some(({ isExpired }) => isExpired)) throw actionExpired();
  const settled = named.find(({ status }) => status !== 'pending');
  if (settled) return judgeSettled(settled, results, { conversation, run, calls });
  const pending = calls.filter(({ status }) => status === 'pending');
  if (!run || pending.length === 0) throw unknownCalls([]);
  if (run.expired) return { kind: 'expire', run };
  requireAll(pending, results);
  for (const [index, { callId, output }] of results.entries()) {
    const call = pending.find((candidate) => candidate.callId === callId);
    if (call) requireApprover(call, caller, ['toolResults', index]);
    if (call) checkOutput(call, output, ['toolResults', index, 'output']);
  }
  if (run.status === 'running') return { kind: 'wait' };
  // A call can still be marked pending after its run has ended.
  if (run.status !== 'waiting_for_client_action') throw unknownCalls(pending.map(({ callId }) => callId));
  return { kind: 'accept', run, results };
}

/** @throws {ServiceError} forbidden */
function requireApprover(call: RoundCall, caller: Caller, param: FieldPath): void {
  if (!DECISION_TOOLS.includes(call.name) || canDecide(caller, call)) return;
  throw new ServiceError('forbidden', whoAnswers(call, caller), { param });
}

function whoAnswers(call: RoundCall, { kind }: Caller): string {
  const approver = approverOf(call);
  if (kind === 'session') return '{param} can only be answered by the client of the conversation.';
  if (approver === 'member') return '{param} can only be answered by a signed-in member of the workspace.';
  return '{param} can only be answered by a caller with credentials.';
}

export function conversationCompleted({ id, completedAt }: Pick<ResumeState['conversation'], 'id' | 'completedAt'>) {
  const message = 'This conversation is permanently completed. Start a new one.';
  const facts = { conversation_id: id, completed_at: completedAt?.toISOString() ?? null };
  return new ServiceError('conversation_completed', message, { facts });
}

function actionExpired(): ServiceError {
  const message =
    'The time to answer these calls is over. Refresh the conversation: it may have continued without you.';
  return new ServiceError('action_expired', message, { param: ['toolResults'] });
}

export function runExpired(): ServiceError {
  return new ServiceError('run_expired', 'The run that asked for these results has expired. Send a new message.');
}

function wellFormed(toolResults: readonly ToolResult[]): AcceptedResult[] {
  const seen = new Set<string>();
  return toolResults.map(({ callId, output }, index) => {
    if (seen.has(callId)) {
      throw invalidResult('{param} occurs twice. Send one result for each call.', ['toolResults', index, 'callId']);
    }
    seen.add(callId);
    if (typeof output !== 'object' || output === null || Array.isArray(output)) {
      throw invalidResult('{param} must be an object.', ['toolResults', index, 'output']);
    }
    // A round trip through JSON, as the database does it, so that a retry compares equal.
    return { callId, output: JSON.parse(JSON.stringify(output)) as AcceptedResult['output'] };
  });
}

function namedCalls(calls: readonly RoundCall[], results: readonly AcceptedResult[]): RoundCall[] {
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const unknown = results.flatMap(({ callId }) => (byId.has(callId) ? [] : [callId]));
  if (unknown.length > 0) throw unknownCalls(unknown);
  return results.flatMap(({ callId }) => byId.get(callId) ?? []);
}

function unknownCalls(callIds: readonly string[]): ServiceError {
  const subject = callIds.length > 0 ? `No call ${callIds.join(', ')} waits` : 'Nothing waits';
  return new ServiceError(
    'unknown_call_id',
    `${subject} for a result in this conversation. Refresh its pending actions.`,
    {
      param: ['toolResults'],
      facts: { call_ids: callIds },
    },
  );
}

/** Handles results for a round that already has results: equal ones are a retry, others are too late. */
function judgeSettled(
  settled: RoundCall,
  results: readonly AcceptedResult[],
  { conversation, run, calls }: ResumeState,
): Verdict {
  if (settled.status === 'cancelled') throw run?.status === 'expired' ? runExpired() : unknownCalls([settled.callId]);
  const { runId, step } = settled;
  const round = calls.filter((call) => call.runId === runId && call.step === step);
  const outputs = new Map(results.map(({ callId, output }) => [callId, output]));
  const isSame =
    outputs.size === round.length && round.every((call) => isDeepStrictEqual(outputs.get(call.callId), call.output));
  if (isSame) return { kind: 'replay', runId, step };
  throw new ServiceError(
    'action_result_conflict',
    'Other results were already accepted for these calls. Refresh the conversation.',
    { facts: { conversation_id: conversation.id, run_id: runId, call_ids: round.map(({ callId }) => callId) } },
  );
}

function requireAll(pending: readonly RoundCall[], results: readonly AcceptedResult[]): void {
  const received = new Set(results.map(({ callId }) => callId));
  const missing = pending.flatMap(({ callId }) => (received.has(callId) ? [] : [callId]));
  if (missing.length === 0) return;
  throw new ServiceError('missing_tool_results', `Every pending call needs a result. Missing: ${missing.join(', ')}.`, {
    param: ['toolResults'],
    facts: { call_ids: missing },
  });
}
