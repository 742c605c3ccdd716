import { setTimeout as delay } from 'node:timers/promises';
import { BYPASSES, type Bypass } from '../../src/contract/bypasses.ts';
import { load } from './core/comparison.ts';
import { cpuMsOf } from './core/cpu.ts';
import { createDatabase } from './core/database.ts';
import { memoryOf, PROBED } from './core/memory.ts';
import { BUSY, options, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { KEY, startService, type Target } from './core/processes.ts';
import type { Bench, Findings, Row } from './core/results.ts';
import { seedConversations, seedResources } from './core/seed.ts';
import { alternate, figure, ratio, type Sample } from './core/statistics.ts';
import { startSubscribers } from './core/subscribers.ts';

const ROUNDS = options.quick ? 5 : 9;
const SUBSCRIBERS = options.quick ? 400 : 1_000;
const EVENTS = 20;

const RESOURCE = `query ($id: ID!) { resource(id: $id) { id resourceId type fields createdAt updatedAt } }`;
const RESOURCES = '{ resources(first: 20) { nodes { id resourceId type createdAt } } }';
const CONVERSATIONS =
  '{ conversations(first: 20) { nodes { id conversationId name status meta createdAt updatedAt } } }';

/** What goes through each bypass: a query, or the streams of subscribers. */
const LOADS: Readonly<Record<Bypass, object | 'deliveries' | 'heap'>> = {
  'repeated-queries': { query: RESOURCE, variables: { id: `res_${'4321'.padStart(26, '0')}` } },
  'posted-queries': { query: RESOURCE, variables: { id: `res_${'4321'.padStart(26, '0')}` } },
  columns: { query: CONVERSATIONS },
  'node-id': { query: RESOURCES },
  'scoped-query': { query: RESOURCE, variables: { id: `res_${'4321'.padStart(26, '0')}` } },
  sql: { query: RESOURCE, variables: { id: `res_${'4321'.padStart(26, '0')}` } },
  'shared-executions': 'deliveries',
  'stream-head': 'heap',
};

export const bench: Bench = {
  about:
    'Each [bypass of a library](../../docs/decisions.md#bypasses) on and off, in two processes and in turn: the CPU time of a small query or of a list at 16' +
    ` concurrent requests, of a delivery to one of ${SUBSCRIBERS.toLocaleString('en')} subscribers, and the heap of a subscriber.`,

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const start = (off: string) => startService({ DATABASE_URL: database.url, PARLEY_BYPASSES_OFF: off }, PROBED);
    const seeding = await start('');
    await seedResources(database, 10_000);
    await seedConversations(database, 1_000);
    await seeding.stop();
    const rows: Row[] = [];
    for (const bypass of BYPASSES) {
      const [on, off] = [await start(''), await start(bypass)];
      for (const target of [on, off]) await measure(target, LOADS[bypass], WARM_UP_MS);
      const variants = { on: () => measure(on, LOADS[bypass]), off: () => measure(off, LOADS[bypass]) };
      const samples = await alternate(variants, ROUNDS);
      const [with_, without] = ['on', 'off'].map((name) => figure(samples, name, 'value'));
      rows.push({ name: bypass, figures: { on: with_, off: without, ratio: ratio(samples, 'on', 'off', 'value') } });
      await Promise.all([on.stop(), off.stop()]);
    }
    const columns = [
      { key: 'on', title: 'on', digits: 3 },
      { key: 'off', title: 'off', digits: 3 },
      { key: 'ratio', title: 'on / off', digits: 2 },
    ];
    return { tables: [{ title: 'CPU ms, or kB of heap', columns, rows }], goals: [] };
  },
};

async function measure(target: Target, what: (typeof LOADS)[Bypass], durationMs = WINDOW_MS): Promise<Sample> {
  if (typeof what === 'string') return { value: await measureStreams(target, what) };
  const { cpuMs } = await load(target, {
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    repeat: [{ method: 'POST', path: '/graphql', body: JSON.stringify(what), status: 200 }],
    concurrency: BUSY,
    durationMs,
    warmUpMs: durationMs / 5,
  });
  return { value: cpuMs };
}

async function measureStreams(target: Target, what: 'deliveries' | 'heap'): Promise<number> {
  const empty = await memoryOf(target);
  const subscribers = startSubscribers(target.url);
  await subscribers.open(SUBSCRIBERS);
  await subscribers.event();
  const before = cpuMsOf(target.pid);
  for (let count = 0; count < EVENTS; count += 1) await subscribers.event();
  const cpuMs = (cpuMsOf(target.pid) - before) / (EVENTS * SUBSCRIBERS);
  const { heap } = await memoryOf(target);
  subscribers.close();
  // Waits until the process has noticed all disconnections.
  await delay(1_000);
  return what === 'heap' ? ((heap - empty.heap) * 2 ** 10) / SUBSCRIBERS : cpuMs;
}
