import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf } from './core/cpu.ts';
import { createDatabase } from './core/database.ts';
import { memoryOf, PROBED } from './core/memory.ts';
import { options } from './core/options.ts';
import { startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Column, Findings, Goal, Table } from './core/results.ts';
import { alternate, figure, figureOf, ratio, type Sample, type Samples } from './core/statistics.ts';
import { startSubscribers } from './core/subscribers.ts';

const ROUNDS = options.quick ? 1 : 3;
const CROWDS = options.quick ? [200, 1_000] : [1_000, 5_000];
const MOST = Math.max(...CROWDS);

/** Events of a round that are measured, and those before them. */
const EVENTS = 5;
const FIRST_EVENTS = 2;

const SERVICE = 'the service';
const FLOOR = 'Express';

export const bench: Bench = {
  about:
    'Subscribers of `eventAppended` by one key, each a request of its own to POST /graphql (`text/event-stream`) over a connection of' +
    ' its own, on PostgreSQL, held by one client process. The event is a POST /v1/resources of that process: times are from' +
    ' sending it until the first, the median and the last subscriber have the event. What a subscriber takes is the difference' +
    ' to none being open, after garbage collection. Each round has new processes. The floor is an Express route that writes events of the same form to' +
    ' whoever is there: no keys, no database, nothing to go on from.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = () => startService({ DATABASE_URL: database.url }, PROBED);
    const floor = () => startTarget({ script: 'bench/express-live.js', nodeOptions: PROBED });
    const samples = await alternate({ [SERVICE]: () => round(service), [FLOOR]: () => round(floor) }, ROUNDS);
    return { tables: CROWDS.map((crowd) => tableOf(crowd, samples)), goals: goalsOf(samples) };
  },
};

/** All crowds of a round, at one process. Names of figures end with the crowd. */
async function round(start: () => Promise<Target>): Promise<Sample> {
  const target = await start();
  await warmUp(target);
  const none = await memoryOf(target);
  const subscribers = startSubscribers(target.url);
  const sample: Record<string, number> = {};
  for (const crowd of CROWDS) {
    await subscribers.open(crowd);
    for (let count = 0; count < FIRST_EVENTS; count += 1) await subscribers.event();
    const arrivals = [];
    const before = cpuMsOf(target.pid);
    for (let count = 0; count < EVENTS; count += 1) arrivals.push(await subscribers.event());
    const cpuMs = cpuMsOf(target.pid) - before;
    const held = await memoryOf(target);
    const last = figureOf(arrivals.map((arrival) => arrival.last));
    Object.assign(sample, {
      [`first ${crowd}`]: figureOf(arrivals.map((arrival) => arrival.first)).median,
      [`median ${crowd}`]: figureOf(arrivals.map((arrival) => arrival.median)).median,
      [`last ${crowd}`]: last.median,
      [`slowest ${crowd}`]: last.most,
      [`cpu ${crowd}`]: (cpuMs * 1_000) / (EVENTS * crowd),
      [`heap ${crowd}`]: ((held.heap - none.heap) * 2 ** 10) / crowd,
      [`rss ${crowd}`]: ((held.rss - none.rss) * 2 ** 10) / crowd,
    });
  }
  subscribers.close();
  await target.stop();
  return sample;
}

/** What the first subscribers make a process load and compile is not theirs. */
async function warmUp(target: Target): Promise<void> {
  const subscribers = startSubscribers(target.url);
  await subscribers.open(100);
  for (let count = 0; count < EVENTS; count += 1) await subscribers.event();
  subscribers.close();
  // Until it has seen all of them go.
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

const BESIDE: readonly Column[] = [
  { key: 'last', title: 'all × Express', digits: 2 },
  { key: 'cpu', title: 'CPU × Express', digits: 2 },
];

function tableOf(crowd: number, samples: Samples): Table {
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: Object.fromEntries([
      ...COLUMNS.map(({ key }) => [key, figure(samples, name, `${key} ${crowd}`)]),
      ...BESIDE.map(({ key }) => [`${key} beside`, ratio(samples, name, FLOOR, `${key} ${crowd}`)]),
    ]),
  }));
  const beside = BESIDE.map((column) => ({ ...column, key: `${column.key} beside` }));
  return { title: `${crowd.toLocaleString('en')} subscribers`, columns: [...COLUMNS, ...beside], rows };
}

function goalsOf(samples: Samples): Goal[] {
  const goal = (what: string, key: string, limit: number, unit: string): Goal => ({
    what: `${MOST.toLocaleString('en')} subscribers: ${what}`,
    limit,
    is: 'at most',
    unit,
    measured: figure(samples, SERVICE, `${key} ${MOST}`),
  });
  return [
    goal(`until all have an event, slowest of ${EVENTS}`, 'slowest', 1_000, 'ms'),
    goal('heap of each after garbage collection', 'heap', 15, 'kB'),
  ];
}
