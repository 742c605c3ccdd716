import { DIALECTS as RULES } from '../../../src/model/dialects.ts';
import { type Dialect, issuedFor } from './dialect.ts';

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } };
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly parameters: object } }[];
}

const PROVIDERS: Readonly<Record<Dialect, string>> = {
  openai: 'OpenAI',
  alternating: 'llama.cpp',
  mistral: 'Mistral',
  gemini: 'Gemini',
  deepseek: 'DeepSeek',
  anthropic: 'Anthropic',
};

const rulesOf = (dialect: Dialect) => RULES[PROVIDERS[dialect]] ?? { needs: [], comesBack: [] };

/** Which roles may follow a role, in the templates that demand turns. */
const FOLLOWERS: Readonly<Record<string, readonly string[]>> = {
  system: ['user'],
  user: ['assistant'],
  assistant: ['user', 'tool'],
  tool: ['tool', 'assistant'],
};

/** Why a server refuses a request of chat completions. */
export function chatProblem({ messages, tools = [] }: ChatRequest, dialect: Dialect): string | undefined {
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message, messages.slice(index + 1), dialect);
    if (problem) return problem;
    const previous = messages[index - 1]?.role ?? 'system';
    const isStrict = rulesOf(dialect).needs.includes('alternatingRoles');
    if (isStrict && message.role !== 'system' && !FOLLOWERS[previous]?.includes(message.role)) {
      return `Unexpected role ${message.role} after role ${previous}`;
    }
  }
  return tools
    .map(({ function: { parameters } }) => schemaProblem(parameters))
    .find((problem) => problem !== undefined);
}

/** Gemini also demands the first character. */
export function nameProblem(name = ''): string | undefined {
  return /^[A-Za-z_][\w-]{0,63}$/.test(name) ? undefined : `Invalid function name ${name}`;
}

export function schemaProblem(schema: object): string | undefined {
  if (!('type' in schema) || schema.type !== 'object' || !('properties' in schema))
    return 'object schema missing properties';
  const combinator = ['oneOf', 'anyOf', 'allOf'].find((name) => name in schema);
  return combinator && `schema has ${combinator} at the top level`;
}

function messageProblem(message: Message, later: readonly Message[], dialect: Dialect): string | undefined {
  const { role, content, tool_calls: calls = [] } = message;
  if (role !== 'assistant' && !content) return 'empty content';
  if (role === 'assistant' && calls.length === 0 && !content?.trim()) return 'assistant without content or calls';
  const end = later.findIndex((next) => next.role !== 'tool');
  const results = later.slice(0, end === -1 ? later.length : end).map((next) => next.tool_call_id);
  if (role === 'assistant' && results.join() !== calls.map(({ id }) => id).join()) return 'calls without their results';
  return calls.map((call) => callProblem(call, message, dialect)).find((problem) => problem !== undefined);
}

function callProblem(call: Call, message: Message, dialect: Dialect): string | undefined {
  const { needs, comesBack } = rulesOf(dialect);
  const issued = issuedFor(JSON.parse(call.function.arguments).turn);
  if (needs.includes('nineCharacterIds') && !/^[A-Za-z0-9]{9}$/.test(call.id))
    return 'Tool call id must be a-z, A-Z, 0-9, with a length of 9';
  if (needs.includes('simpleNames') && nameProblem(call.function.name)) return nameProblem(call.function.name);
  if (comesBack.includes('thoughtSignature') && call.extra_content?.google?.thought_signature !== issued) {
    return 'Function call is missing a thought_signature';
  }
  if (comesBack.includes('reasoningContent') && message.reasoning_content !== issued)
    return 'The reasoning_content must be passed back';
  return undefined;
}
