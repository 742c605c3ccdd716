import { Pace } from '../../../bounds/pace.ts';
import { APPROVAL_TOOL, DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Approver } from '../../../contract/statuses.ts';
import { approvalOf } from '../../actions/approval.ts';
import type { Context } from '../../context.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { valueProblem } from '../../json-schema/value-problem.ts';
import type { Deadline, WorkflowConfig } from '../../workflows/config.ts';
import type { ModelCall } from '../model-port.ts';
import { approvalRequest, approvedCallId, isApproval } from './approve-action.ts';
import { COMPLETE_CONVERSATION } from './built-in-tools.ts';
import { argumentsProblem } from './client-tool-rules.ts';
import { approverOf } from './decision.ts';
import type { OfferedTool } from './offered-tool.ts';

/** Whether a call asks to complete the conversation. It runs nothing: the end of the turn decides on it. */
export function isCompletion({ kind, name }: Pick<CallEntry, 'kind' | 'name'>): boolean {
  return kind === 'tool' && name === COMPLETE_CONVERSATION.name;
}

export type NewCall = Pick<CallEntry, 'kind' | 'callId' | 'name' | 'arguments' | 'status' | 'output'> & Deadline;

/** The model sees this output of complete_conversation until the end of the turn. */
const REQUESTED = { status: 'requested' } as const;

/** Whose calls are classified. */
export interface Callers {
  readonly config: WorkflowConfig;
  readonly tools: readonly OfferedTool[];
  /** Whether the run can pause. If not, a call that needs an approval fails. */
  readonly canPause: boolean;
}

/**
 * Classifies the calls of a step, in order. Calls above `LIMITS.stepCalls` fail, and the model continues. A call that
 * needs an approval is followed by the call that asks for it.
 */
export async function classifyCalls(ctx: Context, calls: readonly ModelCall[], callers: Callers): Promise<NewCall[]> {
  const classified: NewCall[] = [];
  // A check can take milliseconds.
  const pace = new Pace();
  for (const [index, call] of calls.entries()) {
    await pace.pause();
    const excess = index < LIMITS.stepCalls ? undefined : TOO_MANY;
    const one = classifyCall(ctx, call, callers.tools, excess);
    classified.push(...withApproval(ctx, withDeadline(one, callers), callers));
  }
  return separated(classified);
}

const TOO_MANY = `One step takes at most ${LIMITS.stepCalls} calls. This one was not run: repeat it in a later step.`;

/**
 * A call of a client tool waits, and a server action runs. A call that cannot run fails with a reason for the model
 *. The service assigns its own call ID, because IDs from a provider can repeat.
 */
function classifyCall(ctx: Context, call: ModelCall, tools: readonly OfferedTool[], excess?: string): NewCall {
  // A workflow of an earlier release can define a tool with a name that is the service's now. The model must not decide who
  // answers its calls.
  const tool = DECISION_TOOLS.includes(call.name) ? undefined : tools.find(({ name }) => name === call.name);
  const base = {
    kind: tool?.kind ?? 'tool',
    callId: newCallId(ctx),
    name: call.name,
    arguments: call.arguments,
  } as const;
  const reason = excess ?? callProblem(call, tool, tools);
  if (reason !== undefined || !tool) return { ...base, status: 'failed', output: { error: reason } };
  if (tool.kind === 'client_tool') return { ...base, status: 'pending', output: null };
  return { ...base, status: 'running', output: tool.name === COMPLETE_CONVERSATION.name ? REQUESTED : null };
}

export function newCallId(ctx: Context): string {
  return `call_${ctx.newId().replaceAll('-', '')}`;
}

function callProblem(
  call: ModelCall,
  tool: OfferedTool | undefined,
  tools: readonly OfferedTool[],
): string | undefined {
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ');
    return `There is no tool ${call.name}. ${names ? `Offered: ${names}.` : 'No tools are offered.'}`;
  }
  const problem =
    call.unreadable ?? valueProblem(tool.inputSchema, call.arguments) ?? argumentsProblem(tool.name, call.arguments);
  return problem && `The arguments of ${call.name} are not valid: ${problem}`;
}

function withDeadline(call: NewCall, { config }: Callers): NewCall {
  if (call.status !== 'pending') return call;
  const { expiresAfterSeconds, onExpiry } = config.clientTools.find(({ name }) => name === call.name) ?? {};
  return { ...call, expiresAfterSeconds, onExpiry };
}

function withApproval(ctx: Context, call: NewCall, { config, tools, canPause }: Callers): NewCall[] {
  const tool = tools.find(({ name }) => name === call.name);
  if (call.status !== 'running' || isCompletion(call) || !tool || tool.kind === 'client_tool') return [call];
  const approval = approvalOf(config, { ...tool, kind: tool.kind }, call.arguments);
  if (!approval) return [call];
  if (!canPause) return [{ ...call, status: 'failed', output: { error: NO_ONE_TO_ASK } }];
  const args = approvalRequest({
    call_id: call.callId,
    tool: call.name,
    description: tool.description,
    arguments: call.arguments,
    input_schema: tool.inputSchema,
    approver: approval.approver,
    ...(approval.allowAnonymous && { anonymous: true }),
  });
  const asks = { kind: 'client_tool', name: APPROVAL_TOOL, arguments: args, status: 'pending', output: null } as const;
  const { expiresAfterSeconds, onExpiry } = approval;
  return [
    { ...call, status: 'pending' },
    { ...asks, callId: newCallId(ctx), expiresAfterSeconds, onExpiry },
  ];
}

const NO_ONE_TO_ASK = 'This call needs an approval, for which only an agent conversation can ask. It was not run.';

/**
 * All pending calls of a step are answered in one request. So a step cannot wait for a member and for the client at the
 * same time: the calls that wait for the other one fail, and the model repeats them in a later step.
 */
function separated(calls: readonly NewCall[]): NewCall[] {
  const side = calls.map(answererOf).find((answerer) => answerer === 'client' || answerer === 'member');
  if (!side) return [...calls];
  const other = side === 'client' ? 'member' : 'client';
  const later = calls.filter((call) => answererOf(call) === other);
  const failed = new Set(later.map((call) => (isApproval(call) ? approvedCallId(call) : call.callId)));
  return calls
    .filter((call) => !(isApproval(call) && later.includes(call)))
    .map((call) => (failed.has(call.callId) ? { ...call, status: 'failed', output: { error: LATER } } : call));
}

/** Whose answer a call waits for. Undefined: it does not wait, or its approval does. */
function answererOf(call: NewCall): Approver | undefined {
  if (call.kind !== 'client_tool' || call.status !== 'pending') return undefined;
  return isApproval(call) ? approverOf(call) : 'client';
}

const LATER = 'Another call of this step waits for somebody else. This one was not run: repeat it in a later step.';
