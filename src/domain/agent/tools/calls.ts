import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import type { Context } from '../../context.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { valueProblem } from '../../json-schema/value-problem.ts';
import type { ModelCall } from '../model-port.ts';
import { COMPLETE_CONVERSATION } from './built-in-tools.ts';
import { argumentsProblem } from './client-tool-rules.ts';
import type { OfferedTool } from './offered-tool.ts';

/** Whether a call asks to complete the conversation. It runs nothing: the end of the turn decides on it. */
export function isCompletion({ kind, name }: Pick<CallEntry, 'kind' | 'name'>): boolean {
  return kind === 'tool' && name === COMPLETE_CONVERSATION.name;
}

export type NewCall = Pick<CallEntry, 'kind' | 'callId' | 'name' | 'arguments' | 'status' | 'output'>;

/** The model sees this output of complete_conversation until the end of the turn. */
const REQUESTED = { status: 'requested' } as const;

/** Classifies the calls of a step, in order. Calls above `LIMITS.stepCalls` fail, and the model continues. */
export async function classifyCalls(
  ctx: Context,
  calls: readonly ModelCall[],
  tools: readonly OfferedTool[],
): Promise<NewCall[]> {
  const classified: NewCall[] = [];
  for (const [index, call] of calls.entries()) {
    // A check can take milliseconds: let other requests run in between.
    if (index > 0) await nextTurn();
    const excess = index < LIMITS.stepCalls ? undefined : TOO_MANY;
    classified.push(classifyCall(ctx, call, tools, excess));
  }
  return classified;
}

const TOO_MANY = `One step takes at most ${LIMITS.stepCalls} calls. This one was not run: repeat it in a later step.`;

/**
 * A call of a client tool waits, and a server action runs. A call that cannot run fails with a reason for the model
 * (WIRE 7). The service assigns its own call ID, because IDs from a provider can repeat.
 */
function classifyCall(ctx: Context, call: ModelCall, tools: readonly OfferedTool[], excess?: string): NewCall {
  const tool = tools.find(({ name }) => name === call.name);
  const base = {
    kind: tool?.kind ?? 'tool',
    callId: `call_${ctx.newId().replaceAll('-', '')}`,
    name: call.name,
    arguments: call.arguments,
  } as const;
  const reason = excess ?? callProblem(call, tool, tools);
  if (reason !== undefined || !tool) return { ...base, status: 'failed', output: { error: reason } };
  if (tool.kind === 'client_tool') return { ...base, status: 'pending', output: null };
  return { ...base, status: 'running', output: tool.name === COMPLETE_CONVERSATION.name ? REQUESTED : null };
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
