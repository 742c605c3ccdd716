import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { cpuMsOf } from '../core/cpu.ts';
import { serveOrders } from '../core/helper-messages.ts';
import { quantile } from '../core/statistics.ts';
import type { StreamFigures, StreamOrder } from '../core/streams.ts';

// Clients that read streamed replies and count their tokens.

serveOrders(run);

/** A word of the demo model or of the bench's provider. An event can have several. */
const TOKEN = /(?:word|token)\d/;

class Count {
  phase: 'before' | 'counting' | 'over' = 'before';
  tokens = 0;
  readonly firstBytes: number[] = [];
}

async function run(order: StreamOrder): Promise<StreamFigures> {
  const count = new Count();
  const readers = Promise.all(
    Array.from({ length: order.concurrency }, async (_, index) => {
      await delay((order.warmUpMs * index) / order.concurrency);
      const client = new Client(order.url);
      while (count.phase !== 'over') await readOne(order, client, count);
      await client.close();
    }),
  );
  // An error of a client ends the run at once.
  await Promise.race([readers, delay(order.warmUpMs)]);
  count.phase = 'counting';
  const [startedAt, cpuBefore] = [performance.now(), cpuMsOf(order.pid)];
  await Promise.race([readers, delay(order.durationMs)]);
  const [took, cpuMs] = [performance.now() - startedAt, cpuMsOf(order.pid) - cpuBefore];
  const { tokens } = count;
  count.phase = 'over';
  await readers;
  const firstBytes = count.firstBytes.toSorted((a, b) => a - b);
  return {
    perSecond: tokens / (took / 1_000),
    byteP50: quantile(firstBytes, 0.5),
    byteP99: quantile(firstBytes, 0.99),
    cpuUs: (cpuMs * 1_000) / tokens,
  };
}

async function readOne({ path, headers, body, end }: StreamOrder, client: Client, count: Count): Promise<void> {
  const isCounting = count.phase === 'counting';
  const startedAt = performance.now();
  const response = await client.request({ method: 'POST', path, headers, body });
  if (response.statusCode !== 200)
    throw new Error(`POST ${path}: ${response.statusCode} ${await response.body.text()}`);
  let [read, tokens] = ['', 0];
  for await (const piece of response.body) {
    if (read === '' && isCounting) count.firstBytes.push(performance.now() - startedAt);
    read += String(piece);
    const now = countTokens(read);
    if (count.phase === 'counting') count.tokens += now - tokens;
    tokens = now;
  }
  if (!read.includes(end)) throw new Error(`A reply broke off: ${read}`);
}

/** The last event repeats the text. */
function countTokens(read: string): number {
  const end = read.indexOf('event: done\n');
  return (end === -1 ? read : read.slice(0, end)).split(TOKEN).length - 1;
}
