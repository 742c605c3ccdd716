import { Client } from 'undici';
import { cpuMsOf } from '../core/cpu.ts';
import { serveOrders } from '../core/helper-messages.ts';
import type { LoadFigures, LoadOrder, Step } from '../core/load.ts';
import { quantile } from '../core/statistics.ts';

// The load client. It receives an order, runs the load for the given time, returns figures, and waits for the next
// order.

serveOrders(run);

type Captured = Record<string, string>;

/** Counts over all orders, so that every number is unique. */
let lastNumber = 0;

function number(): string {
  lastNumber += 1;
  return String(lastNumber).padStart(12, '0');
}

/** Cycles through 1 to 9,999. */
function shortNumber(): string {
  lastNumber += 1;
  return String((lastNumber % 9_999) + 1).padStart(4, '0');
}

const NUMBERS: Readonly<Record<string, () => string>> = { n: number, m: shortNumber };

interface Worker {
  readonly client: Client;
  readonly captured: Captured;
}

async function run(order: LoadOrder): Promise<LoadFigures> {
  const { url, concurrency, durationMs, warmUpMs = 0 } = order;
  const workers = Array.from({ length: concurrency }, (): Worker => ({ client: new Client(url), captured: {} }));
  const count = new Count(order.maxRequests ?? Number.POSITIVE_INFINITY);
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

/** Response times of the counting phase. */
class Count {
  phase: 'before' | 'counting' | 'over' = 'before';
  readonly times: number[] = [];
  readonly full: Promise<void>;
  readonly #maxRequests: number;
  #fill = () => {};

  constructor(most: number) {
    this.#maxRequests = most;
    this.full = new Promise((resolve) => {
      this.#fill = resolve;
    });
  }

  add(time: number): void {
    if (this.phase !== 'counting') return;
    this.times.push(time);
    if (this.times.length >= this.#maxRequests) this.#fill();
  }
}

async function loop(order: LoadOrder, worker: Worker, count: Count): Promise<void> {
  for (const step of order.first ?? []) await send(order, worker, step);
  while (count.phase !== 'over') {
    for (const step of order.repeat) {
      const startedAt = performance.now();
      await send(order, worker, step);
      if (!step.unmeasured) count.add(performance.now() - startedAt);
    }
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function send(order: LoadOrder, { client, captured }: Worker, step: Step): Promise<void> {
  const response = await client.request({
    method: step.method as 'GET',
    path: substitute(step.path, captured),
    headers: order.headers,
    ...(step.body !== undefined && { body: substitute(step.body, captured) }),
  });
  if (response.statusCode !== step.status) {
    throw new Error(`${step.method} ${step.path}: ${response.statusCode} ${await response.body.text()}`);
  }
  if (!step.capture) {
    // Clients read the complete body.
    await response.body.arrayBuffer();
    return;
  }
  const body: unknown = await response.body.json();
  for (const [name, path] of Object.entries(step.capture)) captured[name] = valueAt(body, path);
}

function substitute(text: string, captured: Captured): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$([a-z_]+)/g, (whole, name: string) => NUMBERS[name]?.() ?? captured[name] ?? whole);
}

function valueAt(body: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], body);
  if (value === undefined) throw new Error(`A response has no ${path}: ${JSON.stringify(body)}`);
  return String(value);
}
