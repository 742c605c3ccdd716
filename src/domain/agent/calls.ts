import type { Context } from '../context.ts';
import type { CallEntry } from '../conversations/timeline.ts';
import { valueProblem } from '../json-schema.ts';
import { ASK_USER, COMPLETE_CONVERSATION, type QUESTION_TYPES } from './built-in-tools.ts';
import type { ModelCall } from './model-port.ts';
import type { OfferedTool } from './tools.ts';

/** Whether a call asks to complete the conversation: it runs nothing, and is decided on when the turn ends. */
export function isCompletion({ kind, name }: Pick<CallEntry, 'kind' | 'name'>): boolean {
  return kind === 'tool' && name === COMPLETE_CONVERSATION.name;
}

export type NewCall = Pick<CallEntry, 'kind' | 'callId' | 'name' | 'arguments' | 'status' | 'output'>;

/** What the model is told of its request to complete the conversation, which is decided on when the turn ends. */
const REQUESTED = { status: 'requested' } as const;

/**
 * What becomes of a call: a client tool waits, a server action runs, a call that cannot be run fails with a reason
 * that the model is told (WIRE 7). It gets an id of this service's own, because a provider's may repeat.
 */
export function classifyCall(ctx: Context, call: ModelCall, tools: readonly OfferedTool[]): NewCall {
  const tool = tools.find(({ name }) => name === call.name);
  const base = {
    kind: tool?.kind ?? 'tool',
    callId: `call_${ctx.newId().replaceAll('-', '')}`,
    name: call.name,
    arguments: call.arguments,
  } as const;
  const reason = refusal(call, tool, tools);
  if (reason !== undefined || !tool) return { ...base, status: 'failed', output: { error: reason } };
  if (tool.kind === 'client_tool') return { ...base, status: 'pending', output: null };
  return { ...base, status: 'running', output: tool.name === COMPLETE_CONVERSATION.name ? REQUESTED : null };
}

function refusal(call: ModelCall, tool: OfferedTool | undefined, tools: readonly OfferedTool[]): string | undefined {
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ');
    return `There is no tool ${call.name}. ${names ? `Offered: ${names}.` : 'No tools are offered.'}`;
  }
  const problem = call.unreadable ?? valueProblem(tool.inputSchema, call.arguments) ?? questionProblem(tool, call);
  return problem && `The arguments of ${call.name} are not valid: ${problem}`;
}

/** A question of ask_user, as its schema has it. */
export interface Question {
  readonly id: string;
  readonly input_type: (typeof QUESTION_TYPES)[number];
  readonly options?: readonly string[];
}

/** What the schema of ask_user cannot say: ids are unique, and a choice has something to choose from. */
function questionProblem(tool: OfferedTool, call: ModelCall): string | undefined {
  if (tool.name !== ASK_USER.name) return undefined;
  // The schema has been checked, so this is what it says.
  const questions = call.arguments.questions as readonly Question[];
  if (new Set(questions.map(({ id }) => id)).size < questions.length) return 'question ids must be unique';
  const empty = questions.find(({ input_type, options }) => input_type !== 'text' && !options?.length);
  return empty && `question ${empty.id} needs options`;
}
