import { Client } from 'undici';
import { answerOrders } from '../core/asking.ts';
import { cpuMsOf } from '../core/cpu.ts';
import type { LoadFigures, LoadOrder, Step } from '../core/load.ts';
import { quantile } from '../core/statistics.ts';

// The load client: takes an order, keeps it up for as long as it says, answers with figures, and waits for the next one.

answerOrders(run);

type Kept = Record<string, string>;

/** Of all orders, so that no two requests have one number. */
let numbered = 0;

function number(): string {
  numbered += 1;
  return String(numbered).padStart(12, '0');
}

interface Worker {
  readonly client: Client;
  readonly kept: Kept;
}

async function run(order: LoadOrder): Promise<LoadFigures> {
  const { url, concurrency, durationMs, warmUpMs = 0 } = order;
  const workers = Array.from({ length: concurrency }, (): Worker => ({ client: new Client(url), kept: {} }));
  const count = new Count(order.most ?? Number.POSITIVE_INFINITY);
  const loops = Promise.all(workers.map((worker) => loop(order, worker, count)));
  await Promise.race([loops, wait(warmUpMs)]);
  count.phase = 'counting';
  const [startedAt, cpuBefore] = [performance.now(), cpuMsOf(order.pid)];
  await Promise.race([loops, wait(durationMs), count.full]);
  const [took, cpuMs] = [performance.now() - startedAt, cpuMsOf(order.pid) - cpuBefore];
  count.phase = 'over';
  await loops;
  await Promise.all(workers.map(({ client }) => client.close()));
  const sorted = count.times.sort((a, b) => a - b);
  return {
    requests: sorted.length,
    perSecond: sorted.length / (took / 1_000),
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    longest: quantile(sorted, 1),
    cpuMs: cpuMs / sorted.length,
  };
}

/** Times of the answers that came while it was counting. */
class Count {
  phase: 'before' | 'counting' | 'over' = 'before';
  readonly times: number[] = [];
  readonly full: Promise<void>;
  readonly #most: number;
  #fill = () => {};

  constructor(most: number) {
    this.#most = most;
    this.full = new Promise((resolve) => {
      this.#fill = resolve;
    });
  }

  add(time: number): void {
    if (this.phase !== 'counting') return;
    this.times.push(time);
    if (this.times.length >= this.#most) this.#fill();
  }
}

async function loop(order: LoadOrder, worker: Worker, count: Count): Promise<void> {
  for (const step of order.first ?? []) await send(order, worker, step);
  while (count.phase !== 'over') {
    for (const step of order.again) {
      const startedAt = performance.now();
      await send(order, worker, step);
      if (!step.unmeasured) count.add(performance.now() - startedAt);
    }
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function send(order: LoadOrder, { client, kept }: Worker, step: Step): Promise<void> {
  const answer = await client.request({
    method: step.method as 'GET',
    path: filled(step.path, kept),
    headers: order.headers,
    ...(step.body !== undefined && { body: filled(step.body, kept) }),
  });
  if (answer.statusCode !== step.status) {
    throw new Error(`${step.method} ${step.path}: ${answer.statusCode} ${await answer.body.text()}`);
  }
  if (!step.keep) {
    // Read to its end, as a client does.
    await answer.body.arrayBuffer();
    return;
  }
  const body: unknown = await answer.body.json();
  for (const [name, path] of Object.entries(step.keep)) kept[name] = valueAt(body, path);
}

function filled(text: string, kept: Kept): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$([a-z_]+)/g, (whole, name: string) => (name === 'n' ? number() : (kept[name] ?? whole)));
}

function valueAt(body: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], body);
  if (value === undefined) throw new Error(`an answer has no ${path}: ${JSON.stringify(body)}`);
  return String(value);
}
