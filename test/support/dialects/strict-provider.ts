import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ChatRequest, chatProblem } from './strict-chat.ts';
import { type MessagesRequest, messagesProblem } from './strict-messages.ts';

export const DIALECTS = ['openai', 'alternating', 'mistral', 'gemini', 'deepseek', 'anthropic'] as const;

export type Dialect = (typeof DIALECTS)[number];

/** What the provider issued, and must get back: by the number of the turn whose call has it. */
export const issuedFor = (turn: number) => `issued-for-turn-${turn}`;

export interface StrictProvider {
  readonly url: string;
  /** Why it refused a request. */
  readonly problems: readonly string[];
  /** Resolves when a request waits for its end. */
  whenHanging(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A provider that refuses what the real one refuses. The last line of the user's last message says what it does: `turn
 * NUMBER`, and then `say`, `call`, `call-cut`, `cut`, `blank` or `hang`.
 */
export async function startStrictProvider(dialect: Dialect): Promise<StrictProvider> {
  const problems: string[] = [];
  const hanging = new EventEmitter();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as ChatRequest & MessagesRequest;
    const problem = dialect === 'anthropic' ? messagesProblem(body) : chatProblem(body, dialect);
    if (problem) {
      problems.push(problem);
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: problem } }));
      return;
    }
    const [, number = '', action = ''] =
      [...JSON.stringify(body.messages).matchAll(/turn (\d+) ([a-z-]+)/g)].at(-1) ?? [];
    const hasResults = /"role":"tool"|"tool_result"/.test(JSON.stringify(body.messages.at(-1)));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (action === 'hang') {
      hanging.emit('request');
      return;
    }
    const write = dialect === 'anthropic' ? writeMessages : writeChat;
    write(response, Number(number), hasResults ? (action === 'call-cut' ? 'cut' : 'say') : action);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    problems,
    whenHanging: () => once(hanging, 'request').then(() => {}),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const TEXTS: Readonly<Record<string, string>> = { say: 'Yes.', cut: 'Half ', blank: '\n\n' };

function writeChat(response: ServerResponse, turn: number, action: string): void {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  if (!action.startsWith('call')) {
    chunk({ content: TEXTS[action] });
    if (action !== 'cut') chunk({}, 'stop');
  } else {
    chunk({ content: '\n', reasoning_content: issuedFor(turn) });
    const extra_content = { google: { thought_signature: issuedFor(turn) } };
    const call = { id: `id-${turn}`, type: 'function', function: { name: 'lookup', arguments: `{"turn":${turn}}` } };
    chunk({ tool_calls: [{ index: 0, ...call, extra_content }] });
    chunk({}, 'tool_calls');
  }
  response.end();
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
    if (action !== 'cut') event('message_delta', { delta: { stop_reason: 'end_turn' } });
  } else {
    const thinking = { type: 'thinking_delta', thinking: `Thinking of turn ${turn}` };
    block(0, { type: 'thinking', thinking: '' }, thinking, { type: 'signature_delta', signature: issuedFor(turn) });
    const input = { type: 'input_json_delta', partial_json: `{"turn":${turn}}` };
    block(1, { type: 'text', text: '' }, { type: 'text_delta', text: '\n' });
    block(2, { type: 'tool_use', id: `toolu_${turn}`, name: 'lookup', input: {} }, input);
    event('message_delta', { delta: { stop_reason: 'tool_use' } });
  }
  response.end();
}
