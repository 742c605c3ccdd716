// The other caller, the provider and the mail server: in a process of their own, which the attacker does not slow down.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { serveOrders } from '../../bench/core/helper-messages.ts';
import { replyOf } from '../../bench/core/replies.ts';
import { measureCaller } from '../other-caller.ts';
import { OWN_TEXT, SLOW_MS, type WitnessOrder, type WitnessReply } from '../witness.ts';

const { chunks } = replyOf('chat', 10);
let modelCalls = 0;

async function reply(response: ServerResponse, body: string): Promise<void> {
  const { messages = [] } = JSON.parse(body) as { readonly messages?: readonly unknown[] };
  const latest = JSON.stringify(messages.at(-1) ?? '');
  if (!latest.includes(OWN_TEXT)) modelCalls += 1;
  if (latest.includes('slowly')) await pause(SLOW_MS);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(chunks.join(''));
}

const mail = await startMailServer();
const provider = createServer((request, response) => {
  readText(request)
    .then((body) => reply(response, body))
    .catch(() => response.destroy());
});

serveOrders<WitnessOrder>(async (order): Promise<WitnessReply> => {
  const latencies = order.kind === 'measure' ? await measureCaller(order) : undefined;
  return { modelCalls, mails: mail.mails.length, latencies };
});

provider.listen(0, '127.0.0.1', () => {
  const { port } = provider.address() as AddressInfo;
  process.send?.({ providerUrl: `http://127.0.0.1:${port}/v1`, mailUrl: mail.url });
});
process.once('disconnect', () => process.exit(0));
