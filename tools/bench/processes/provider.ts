import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as nextTick } from 'node:timers/promises';
import { serveOrders } from '../core/helper-messages.ts';
import type { ProviderOrder } from '../core/provider.ts';
import { callOf, type Protocol, type Reply, replyOf } from '../core/replies.ts';

// A provider on this machine.

const CALLS = { chat: callOf('chat'), messages: callOf('messages') };

let order: ProviderOrder = { tokens: 1, everyMs: 0 };
let replies = repliesOf(order);

serveOrders<ProviderOrder>((next) => {
  order = next;
  replies = repliesOf(next);
  clearInterval(timer);
  if (next.everyMs > 0) timer = setInterval(tick, next.everyMs);
  return Promise.resolve(next);
});

function repliesOf({ tokens }: ProviderOrder): Readonly<Record<Protocol, Reply>> {
  return { chat: replyOf('chat', tokens), messages: replyOf('messages', tokens) };
}

const server = createServer((request, response) => {
  void (async () => {
    const { messages = [] } = (await json(request)) as { messages?: readonly unknown[] };
    const protocol = request.url?.endsWith('/messages') ? 'messages' : 'chat';
    const isQuestion = JSON.stringify(messages.at(-1) ?? '').includes('/ask');
    const { chunks } = isQuestion ? CALLS[protocol] : replies[protocol];
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    if (order.everyMs > 0) paced.set(response, chunks.values());
    else await sendAtOnce(chunks, response);
  })();
});

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
