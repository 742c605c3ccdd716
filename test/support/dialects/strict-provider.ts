import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Dialect, issuedFor } from './dialect.ts';
import { type ChatRequest, chatProblem } from './strict-chat.ts';
import { type MessagesRequest, messagesProblem } from './strict-messages.ts';

/** A request that the provider did not refuse. */
export interface StrictRequest {
  readonly dialect: Dialect;
  /** The numbers of the turns in its messages. */
  readonly turns: readonly number[];
  /** Whether it ends with the results of calls. */
  readonly hasResults: boolean;
}

export interface StrictProvider {
  readonly url: string;
  /** Why it refused a request. */
  readonly problems: readonly string[];
  readonly requests: readonly StrictRequest[];
  /** Resolves when a request in this dialect waits for its end. */
  whenHanging(dialect: Dialect): Promise<void>;
  close(): Promise<void>;
}

/** The model of a dialect. It tells a provider the dialect. */
export function modelOf(dialect: Dialect): string {
  if (dialect === 'anthropic') return 'anthropic:claude-sonnet-4-5';
  return dialect === 'openai' ? 'openai:openai' : `openai-compatible:${dialect}`;
}

/**
 * A provider that refuses what the real one refuses. The last line of the user's last message says what it does: `turn
 * NUMBER`, and then `say`, `call`, `call-cut`, `cut`, `blank` or `hang`. `die`, `half-die` and `call-die` hang only at
 * the first request, before the reply, within it, or after the results.
 */
export async function startStrictProvider(): Promise<StrictProvider> {
  const problems: string[] = [];
  const requests: StrictRequest[] = [];
  const died = new Set<string>();
  const hanging = new EventEmitter();
  const reply = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { problem, number, action, ...request } = readRequest(await text(incoming));
    if (problem) {
      problems.push(problem);
      const body = JSON.stringify({ error: { message: problem } });
      response.writeHead(400, { 'content-type': 'application/json' }).end(body);
      return;
    }
    const { dialect, hasResults } = request;
    requests.push(request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = dialect === 'anthropic' ? writeMessages : writeChat;
    const dies = action.endsWith('die') && hasResults === (action === 'call-die') && !died.has(`${dialect} ${number}`);
    if (dies || action === 'hang') {
      died.add(`${dialect} ${number}`);
      if (action === 'half-die') write(response, number, 'half');
      hanging.emit(dialect);
      return;
    }
    write(response, number, hasResults ? lastStep(action) : firstStep(action));
    response.end();
  };
  // A service of another test may still send to a server that had this port before.
  const isForModel = ({ url = '' }: IncomingMessage) => url.endsWith('/chat/completions') || url.endsWith('/messages');
  const server = createServer((incoming, response) =>
    isForModel(incoming) ? reply(incoming, response) : response.writeHead(404).end(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    problems,
    requests,
    whenHanging: (dialect) => once(hanging, dialect).then(() => {}),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface ReadRequest extends StrictRequest {
  readonly problem: string | undefined;
  /** The last turn, and what happens in it. */
  readonly number: number;
  readonly action: string;
}

function readRequest(json: string): ReadRequest {
  const body = JSON.parse(json) as { readonly model: string } & ChatRequest & MessagesRequest;
  const dialect = body.model.startsWith('claude') ? 'anthropic' : (body.model as Dialect);
  const mentions = [...JSON.stringify(body.messages).matchAll(/turn (\d+) ([a-z-]+)/g)];
  const turns = mentions.map(([, number]) => Number(number));
  const problem = dialect === 'anthropic' ? messagesProblem(body) : chatProblem(body, dialect);
  return {
    dialect,
    turns,
    hasResults: /"role":"tool"|"tool_result"/.test(JSON.stringify(body.messages.at(-1))),
    problem: problem ?? turnsProblem(turns),
    number: turns.at(-1) ?? 0,
    action: mentions.at(-1)?.[2] ?? '',
  };
}

function firstStep(action: string): string {
  if (action.startsWith('call')) return 'call';
  return action.endsWith('die') ? 'say' : action;
}

function lastStep(action: string): string {
  return action === 'call-cut' ? 'cut' : 'say';
}

/** The messages of a conversation are complete, and no one is repeated. */
function turnsProblem(turns: readonly number[]): string | undefined {
  const [first = 0] = turns;
  return turns.every((turn, index) => turn === first + index) ? undefined : `The turns are ${turns.join()}`;
}

const TEXTS: Readonly<Record<string, string>> = { say: 'Yes.', cut: 'Half ', half: 'Half ', blank: '\n\n' };

/** What does not end a reply. */
const OPEN: readonly string[] = ['cut', 'half'];

function writeChat(response: ServerResponse, turn: number, action: string): void {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  if (!action.startsWith('call')) {
    chunk({ content: TEXTS[action] });
    if (!OPEN.includes(action)) chunk({}, 'stop');
  } else {
    chunk({ content: '\n', reasoning_content: issuedFor(turn) });
    const extra_content = { google: { thought_signature: issuedFor(turn) } };
    const call = { id: `id-${turn}`, type: 'function', function: { name: 'lookup', arguments: `{"turn":${turn}}` } };
    chunk({ tool_calls: [{ index: 0, ...call, extra_content }] });
    chunk({}, 'tool_calls');
  }
}

function writeMessages(response: ServerResponse, turn: number, action: string): void {
  const event = (type: string, fields: object) => response.write(`data: ${JSON.stringify({ type, ...fields })}\n\n`);
  const block = (index: number, content_block: object, ...deltas: readonly object[]) => {
    event('content_block_start', { index, content_block });
    for (const delta of deltas) event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  };
  if (!action.startsWith('call')) {
    block(0, { type: 'text', text: '' }, { type: 'text_delta', text: TEXTS[action] });
    if (!OPEN.includes(action)) event('message_delta', { delta: { stop_reason: 'end_turn' } });
  } else {
    const thinking = { type: 'thinking_delta', thinking: `Thinking of turn ${turn}` };
    block(0, { type: 'thinking', thinking: '' }, thinking, { type: 'signature_delta', signature: issuedFor(turn) });
    const input = { type: 'input_json_delta', partial_json: `{"turn":${turn}}` };
    block(1, { type: 'text', text: '' }, { type: 'text_delta', text: '\n' });
    block(2, { type: 'tool_use', id: `toolu_${turn}`, name: 'lookup', input: {} }, input);
    event('message_delta', { delta: { stop_reason: 'tool_use' } });
  }
}
