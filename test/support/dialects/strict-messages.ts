import { issuedFor } from './dialect.ts';
import { nameProblem, schemaProblem } from './strict-chat.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  readonly input?: { readonly turn?: number };
  readonly thinking?: string;
  readonly signature?: string;
}

export interface MessagesRequest {
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly tools?: readonly { readonly input_schema: object }[];
}

/** Why Anthropic refuses a request of messages. */
export function messagesProblem({ messages, tools = [] }: MessagesRequest): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return 'roles must alternate';
    const problem = content.map((block) => blockProblem(block, content)).find((found) => found !== undefined);
    if (problem) return problem;
    const uses = content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    const results = messages[index + 1]?.content.flatMap(({ tool_use_id: id }) => id ?? []) ?? [];
    if (uses.join() !== results.join()) return 'tool_use ids were found without tool_result blocks immediately after';
  }
  return tools.map((tool) => schemaProblem(tool.input_schema)).find((problem) => problem !== undefined);
}

function blockProblem({ type, text, id, name, input }: Block, content: readonly Block[]): string | undefined {
  if (type === 'text' && !text?.trim()) return 'text content blocks must contain non-whitespace text';
  if (type !== 'tool_use') return undefined;
  if (!/^[a-zA-Z0-9_-]+$/.test(id ?? '')) return 'tool_use.id has another form';
  if (nameProblem(name)) return nameProblem(name);
  const [thinking] = content;
  if (thinking?.type !== 'thinking') return 'Expected thinking, but found another block';
  const turn = input?.turn ?? 0;
  if (thinking.thinking !== `Thinking of turn ${turn}`) return 'thinking blocks cannot be modified';
  return thinking.signature === issuedFor(turn) ? undefined : 'Invalid signature in thinking block';
}
