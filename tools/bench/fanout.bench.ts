import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf } from './core/cpu.ts';
import { createDatabase } from './core/database.ts';
import { memoryOf, PROBED } from './core/memory.ts';
import { options } from './core/options.ts';
import { startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Column, Findings, Goal, Table } from './core/results.ts';
import { alternate, figure, figureOf, ratio, type Sample, type Samples } from './core/statistics.ts';
import { type Arrival, type Subscribers, startSubscribers } from './core/subscribers.ts';

const ROUNDS = options.quick ? 1 : 3;
const COUNTS = options.quick ? [200, 1_000] : [1_000, 5_000];
const MAX_COUNT = Math.max(...COUNTS);

/** The measured events of a round, and the events before them. */
const EVENTS = 20;
const FIRST_EVENTS = 10;

/** The measured events with one subscriber, whose CPU time is small. */
const SINGLE_EVENTS = options.quick ? 50 : 200;

const SERVICE = 'the service';
const BASELINE = 'Express';

export const bench: Bench = {
  about:
    'Subscribers of `eventAppended` with one key. Each sends its own POST /graphql (`text/event-stream`) over its own' +
    ' connection, on PostgreSQL, in one client process. A POST /v1/resources of that process causes the event. Times run from' +
    ' sending it until the first, the median and the last subscriber have the event. Memory per subscriber is the difference' +
    ' to the process without subscribers, after garbage collection. Each round has new processes. The baseline is an Express route that writes events of the same form to' +
    ' every subscriber, without keys, database or cursors. With one subscriber, a delivery has the whole cost of its event: the request that causes it,' +
    ' its transaction, and the reading of the log.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = () => startService({ DATABASE_URL: database.url }, PROBED);
    const baseline = () => startTarget({ script: 'bench/express-live.js', nodeOptions: PROBED });
    const samples = await alternate({ [SERVICE]: () => round(service), [BASELINE]: () => round(baseline) }, ROUNDS);
    const tables = COUNTS.map((subscriberCount) => tableOf(subscriberCount, samples));
    return { tables: [singleTable(samples), ...tables], goals: goalsOf(samples) };
  },
};

/** All subscriber counts of a round in one process. The figure names end with the count. */
async function round(start: () => Promise<Target>): Promise<Sample> {
  const target = await start();
  await warmUp(target);
  const empty = await memoryOf(target);
  const subscribers = startSubscribers(target.url);
  const sample: Record<string, number> = await singleSample(target);
  for (const subscriberCount of COUNTS) {
    await subscribers.open(subscriberCount);
    for (let count = 0; count < FIRST_EVENTS; count += 1) await subscribers.event();
    const { arrivals, cpuMs } = await measureEvents(target, subscribers, EVENTS);
    const memory = await memoryOf(target);
    const last = figureOf(arrivals.map((arrival) => arrival.last));
    Object.assign(sample, {
      [`first ${subscriberCount}`]: figureOf(arrivals.map((arrival) => arrival.first)).median,
      [`median ${subscriberCount}`]: figureOf(arrivals.map((arrival) => arrival.median)).median,
      [`last ${subscriberCount}`]: last.median,
      [`slowest ${subscriberCount}`]: last.most,
      [`cpu ${subscriberCount}`]: (cpuMs * 1_000) / (EVENTS * subscriberCount),
      [`heap ${subscriberCount}`]: ((memory.heap - empty.heap) * 2 ** 10) / subscriberCount,
      [`rss ${subscriberCount}`]: ((memory.rss - empty.rss) * 2 ** 10) / subscriberCount,
    });
  }
  subscribers.close();
  await target.stop();
  return sample;
}

/** Events of one subscriber. */
async function singleSample(target: Target): Promise<Record<string, number>> {
  const subscriber = startSubscribers(target.url);
  await subscriber.open(1);
  const { arrivals, cpuMs } = await measureEvents(target, subscriber, SINGLE_EVENTS);
  subscriber.close();
  const last = figureOf(arrivals.map((arrival) => arrival.last));
  return { 'single last': last.median, 'single cpu': (cpuMs * 1_000) / SINGLE_EVENTS };
}

/** When events arrived, and the CPU time that they took together. */
async function measureEvents(target: Target, subscribers: Subscribers, count: number) {
  const arrivals: Arrival[] = [];
  const before = cpuMsOf(target.pid);
  for (let sent = 0; sent < count; sent += 1) arrivals.push(await subscribers.event());
  return { arrivals, cpuMs: cpuMsOf(target.pid) - before };
}

/** The first subscribers make a process load and compile code, which should not count. */
async function warmUp(target: Target): Promise<void> {
  const subscribers = startSubscribers(target.url);
  await subscribers.open(100);
  for (let count = 0; count < EVENTS; count += 1) await subscribers.event();
  subscribers.close();
  // Waits until the process has noticed all disconnections.
  await delay(1_000);
}

const COLUMNS: readonly Column[] = [
  { key: 'first', title: 'first ms', digits: 1 },
  { key: 'median', title: 'median ms', digits: 1 },
  { key: 'last', title: 'all ms', digits: 1 },
  { key: 'slowest', title: `all ms, slowest of ${EVENTS} events`, digits: 1 },
  { key: 'cpu', title: 'CPU µs/delivery', digits: 1 },
  { key: 'heap', title: 'heap kB each', digits: 1 },
  { key: 'rss', title: 'RSS kB each', digits: 1 },
];

const RATIOS: readonly Column[] = [
  { key: 'last', title: 'all × Express', digits: 2 },
  { key: 'cpu', title: 'CPU × Express', digits: 2 },
];

function singleTable(samples: Samples): Table {
  const columns: Column[] = [
    { key: 'single last', title: 'ms', digits: 1 },
    { key: 'single cpu', title: 'CPU µs/delivery', digits: 0 },
  ];
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: Object.fromEntries(columns.map(({ key }) => [key, figure(samples, name, key)])),
  }));
  return { title: 'One subscriber', columns, rows };
}

function tableOf(subscriberCount: number, samples: Samples): Table {
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: Object.fromEntries([
      ...COLUMNS.map(({ key }) => [key, figure(samples, name, `${key} ${subscriberCount}`)]),
      ...RATIOS.map(({ key }) => [`${key} ratio`, ratio(samples, name, BASELINE, `${key} ${subscriberCount}`)]),
    ]),
  }));
  const ratioColumns = RATIOS.map((column) => ({ ...column, key: `${column.key} ratio` }));
  return { title: `${subscriberCount.toLocaleString('en')} subscribers`, columns: [...COLUMNS, ...ratioColumns], rows };
}

function goalsOf(samples: Samples): Goal[] {
  const goal = (description: string, key: string, limit: number, unit: string): Goal => ({
    description: `${MAX_COUNT.toLocaleString('en')} subscribers: ${description}`,
    limit,
    is: 'at most',
    unit,
    measured: figure(samples, SERVICE, `${key} ${MAX_COUNT}`),
  });
  const first = Math.min(...COUNTS);
  const against = (description: string, key: string, limit: number): Goal => ({
    description: `${first.toLocaleString('en')} subscribers: ${description}, compared with Express`,
    limit,
    is: 'at most',
    unit: 'times',
    measured: ratio(samples, SERVICE, BASELINE, `${key} ${first}`),
  });
  return [
    goal(`until all have an event, slowest of ${EVENTS}`, 'slowest', 1_000, 'ms'),
    goal('heap of each after garbage collection', 'heap', 15, 'kB'),
    against('CPU of a delivery', 'cpu', 1.3),
    against('until all have an event', 'last', 1.25),
  ];
}
