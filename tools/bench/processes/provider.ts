import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTick } from 'node:timers/promises';
import { serveOrders } from '../core/helper-messages.ts';
import type { ProviderCount, ProviderOrder } from '../core/provider.ts';
import { callOf, type Protocol, type Reply, replyOf } from '../core/replies.ts';

// A provider on this machine.

const CALLS = { chat: callOf('chat'), messages: callOf('messages') };

let order: ProviderOrder = { tokens: 1, everyMs: 0 };
let replies = repliesOf(order);

let receivedBytes = 0;

/** An order without fields changes nothing. */
serveOrders<Partial<ProviderOrder>>((next): Promise<ProviderCount> => {
  if (next.tokens !== undefined) {
    order = { everyMs: 0, ...next, tokens: next.tokens };
    replies = repliesOf(order);
    clearInterval(timer);
    if (order.everyMs > 0) timer = setInterval(tick, order.everyMs);
  }
  return Promise.resolve({ receivedBytes });
});

function repliesOf({ tokens }: ProviderOrder, promptTokens?: number): Readonly<Record<Protocol, Reply>> {
  return { chat: replyOf('chat', tokens, promptTokens), messages: replyOf('messages', tokens, promptTokens) };
}

const server = createServer((request, response) => {
  void (async () => {
    const body = await text(request);
    receivedBytes += body.length;
    const { messages = [] } = JSON.parse(body) as { messages?: readonly unknown[] };
    const protocol = request.url?.endsWith('/messages') ? 'messages' : 'chat';
    const isQuestion = JSON.stringify(messages.at(-1) ?? '').includes('/ask');
    const { chunks } = isQuestion ? CALLS[protocol] : repliesFor(Math.ceil(body.length / 4))[protocol];
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    if (order.everyMs > 0) paced.set(response, chunks.values());
    else await sendAtOnce(chunks, response);
  })();
});

function repliesFor(promptTokens: number): Readonly<Record<Protocol, Reply>> {
  return order.countsPrompts ? repliesOf(order, promptTokens) : replies;
}

/** Each token is a write of its own, as providers send them. */
async function sendAtOnce(chunks: readonly string[], response: ServerResponse): Promise<void> {
  for (const chunk of chunks) {
    response.write(chunk);
    await nextTick();
  }
  response.end();
}

/** One timer writes to all streams, so that the provider costs little. */
const paced = new Map<ServerResponse, Iterator<string>>();
let timer: NodeJS.Timeout | undefined;

function tick(): void {
  for (const [response, chunks] of paced) {
    const { value, done } = chunks.next();
    if (!done) {
      response.write(value);
    } else {
      paced.delete(response);
      response.end();
    }
  }
}

server.listen(0, '127.0.0.1', () => {
  console.log(`Provider runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
