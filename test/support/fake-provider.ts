import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** What the provider sends before the end of a response. `calls` carry their arguments as raw text. */
export interface FakeCompletion {
  readonly deltas?: readonly string[];
  /** The reasoning, before the text. */
  readonly thoughts?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  /** The provider's own finish reason. */
  readonly finish?: string;
  /** `input` includes the tokens of the cache in chat completions only, as providers count them. */
  readonly usage?: {
    readonly input: Count;
    readonly cached?: Count;
    readonly written?: Count;
    readonly output: Count;
  };
}

/** `raw:` marks JSON text that is not a JavaScript number. */
export type Count = number | `raw:${string}`;

/** The provider's behaviour for one request: a complete response, one that breaks off, or no response. */
export type FakeReply =
  | ({ readonly kind: 'answer' } & FakeCompletion)
  | ({ readonly kind: 'cut' | 'eof' | 'stall' | 'error-event' } & Pick<FakeCompletion, 'deltas' | 'thoughts' | 'calls'>)
  /** Sends the pieces as they come (chat completions only), then ends like an answer, or breaks off. */
  | ({
      readonly kind: 'dictated';
      readonly pieces: AsyncIterable<Pick<FakeCompletion, 'deltas' | 'thoughts'>>;
      readonly isCut?: boolean;
    } & Omit<FakeCompletion, 'deltas' | 'thoughts'>)
  | { readonly kind: 'hang' }
  | { readonly kind: 'garbage' }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    };

/** A behaviour that depends on the request. */
export type FakeBehaviour = FakeReply | ((request: FakeRequest) => FakeReply);

export interface FakeRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  /** Resolves once the connection of this request is closed. */
  readonly closed: Promise<void>;
}

export interface FakeProvider {
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  /** Sets the behaviour for the coming requests, in order. The last one applies to all later requests. */
  reply(...replies: readonly FakeBehaviour[]): void;
  /** Sets what it lists as its models: a JSON document, or a status. */
  offer(list: object | number): void;
  /** Its requests for the list of models. */
  readonly listRequests: readonly IncomingMessage[];
  /** Resolves with the next request. */
  nextRequest(): Promise<FakeRequest>;
  close(): Promise<void>;
}

/** Text of a provider's error that no client may see. */
export const PROVIDER_SECRET = 'sk-secret-leaked-by-the-provider';

/** A local provider with OpenAI's chat completions and Anthropic's messages, streamed. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  let replies: FakeBehaviour[] = [];
  let list: object | number = 404;
  const listRequests: IncomingMessage[] = [];
  let announce: (request: FakeRequest) => void = () => {};
  const server = createServer(async (incoming, response) => {
    if (incoming.method === 'GET') {
      listRequests.push(incoming);
      response.writeHead(typeof list === 'number' ? list : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(list));
      return;
    }
    const closed = once(response, 'close').then(() => {});
    const body = JSON.parse(await readText(incoming));
    const request = { path: incoming.url ?? '', headers: incoming.headers, body, atMs: performance.now(), closed };
    requests.push(request);
    announce(request);
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    const chosen = typeof reply === 'function' ? reply(request) : reply;
    await sendReply(chosen ?? { kind: 'status', status: 418 }, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // Only pipes have an address other than AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    listRequests,
    offer: (next) => {
      list = next;
    },
    reply: (...next) => {
      replies = [...next];
    },
    nextRequest: () => new Promise((resolve) => (announce = resolve)),
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function sendReply(reply: FakeReply, request: FakeRequest, response: ServerResponse): Promise<void> {
  if (reply.kind === 'hang') return;
  if (reply.kind === 'status') {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(
      JSON.stringify({ type: 'error', error: { type: 'some_error', message: reply.body ?? PROVIDER_SECRET } }),
    );
    return;
  }
  const protocol = request.path.endsWith('/messages') ? anthropic : openai;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (reply.kind === 'garbage') {
    response.end('data: <html>\n\n');
    return;
  }
  if (reply.kind === 'dictated') return sendDictated(reply, protocol, response);
  for (const event of protocol.start(reply).split(/(?<=\n\n)/)) await write(response, event);
  if (reply.kind === 'stall') return;
  if (reply.kind === 'cut') response.destroy();
  else if (reply.kind === 'error-event') response.end(protocol.error());
  else if (reply.kind === 'eof') response.end();
  else response.end(protocol.end(reply));
}

async function sendDictated(
  { pieces, isCut, ...end }: Extract<FakeReply, { kind: 'dictated' }>,
  protocol: Protocol,
  response: ServerResponse,
): Promise<void> {
  for await (const piece of pieces) await write(response, protocol.start(piece));
  if (isCut) response.destroy();
  else response.end(protocol.start(end) + protocol.end(end));
}

function write(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => response.write(chunk, () => resolve()));
}

interface Protocol {
  start(completion: FakeCompletion): string;
  end(completion: FakeCompletion): string;
  error(): string;
}

const openai: Protocol = {
  start: ({ deltas = [], thoughts = [], calls = [] }) =>
    [
      ...thoughts.map((text) => openaiChunk({ choices: [{ index: 0, delta: { reasoning_content: text } }] })),
      ...deltas.map((content) => openaiChunk({ choices: [{ index: 0, delta: { content } }] })),
      ...calls.map(({ name, arguments: json }, index) => {
        const call = { index, id: `call_${index}`, type: 'function', function: { name, arguments: json } };
        return openaiChunk({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
      }),
    ].join(''),
  end: ({ calls, usage, finish = calls ? 'tool_calls' : 'stop' }) =>
    [
      openaiChunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
      ...(usage ? [openaiChunk({ choices: [], usage: openaiUsage(usage) })] : []),
      'data: [DONE]\n\n',
    ].join(''),
  error: () => `data: ${JSON.stringify({ error: { message: PROVIDER_SECRET, type: 'server_error' } })}\n\n`,
};

function openaiUsage({ input, cached, written, output }: NonNullable<FakeCompletion['usage']>) {
  const details = { cached_tokens: cached, cache_write_tokens: written };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    ...((cached ?? written) !== undefined && { prompt_tokens_details: details }),
  };
}

function openaiChunk(fields: object): string {
  return `data: ${json({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`;
}

/** The signature of every thought. */
export const SIGNATURE = 'signed-by-the-provider';

const THINKING_INDEX = 100;

const anthropic: Protocol = {
  start: ({ deltas = [], thoughts = [], calls = [], usage }) =>
    [
      anthropicEvent('message_start', {
        message: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: usage?.input ?? 0,
            cache_read_input_tokens: usage?.cached,
            cache_creation_input_tokens: usage?.written,
            output_tokens: 0,
          },
        },
      }),
      ...(thoughts.length > 0
        ? anthropicBlock(THINKING_INDEX, { type: 'thinking', thinking: '', signature: '' }, [
            ...thoughts.map((thinking) => ({ type: 'thinking_delta', thinking })),
            { type: 'signature_delta', signature: SIGNATURE },
          ])
        : []),
      ...(deltas.length > 0 ? anthropicBlock(0, { type: 'text', text: '' }, deltas.map(textDelta)) : []),
      ...calls.flatMap(({ name, arguments: json }, index) =>
        anthropicBlock(index + 1, { type: 'tool_use', id: `toolu_${index}`, name, input: {} }, [
          { type: 'input_json_delta', partial_json: json },
        ]),
      ),
    ].join(''),
  end: ({ calls, usage, finish = calls ? 'tool_use' : 'end_turn' }) =>
    anthropicEvent('message_delta', {
      delta: { stop_reason: finish, stop_sequence: null },
      usage: { output_tokens: usage?.output ?? 0 },
    }) + anthropicEvent('message_stop', {}),
  error: () => anthropicEvent('error', { error: { type: 'api_error', message: PROVIDER_SECRET } }),
};

function textDelta(text: string): object {
  return { type: 'text_delta', text };
}

function anthropicBlock(index: number, block: object, deltas: readonly object[]): string[] {
  return [
    anthropicEvent('content_block_start', { index, content_block: block }),
    ...deltas.map((delta) => anthropicEvent('content_block_delta', { index, delta })),
    anthropicEvent('content_block_stop', { index }),
  ];
}

function anthropicEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${json({ type, ...fields })}\n\n`;
}

function json(value: object): string {
  return JSON.stringify(value).replace(/"raw:((?:[^"\\]|\\.)*)"/g, (_, raw) => JSON.parse(`"${raw}"`));
}
