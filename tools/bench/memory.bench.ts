import { setTimeout as delay } from 'node:timers/promises';
import { load } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import { memoryOf, PROBED, rssOf } from './core/memory.ts';
import { BUSY, options } from './core/options.ts';
import { SHIPPED, startService, type Target } from './core/processes.ts';
import { startProvider } from './core/provider.ts';
import type { Bench, Column, Findings, Goal, Row } from './core/results.ts';
import { figureOf } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, START } from './core/turns.ts';

const STEP = options.quick ? 500 : 5_000;
const TURNS = options.quick ? 2_000 : 50_000;
const TOKENS = 300;

/** Ends the run early on a slow machine. */
const MAX_MS = 15 * 60_000;

const REST_MS = 10_000;
const SAMPLE_MS = 250;

export const bench: Bench = {
  about:
    `The memory of a process on PostgreSQL, started like in production (\`${SHIPPED.join(' ')}\`): at rest, 10 s after its first requests, and over` +
    ` ${TURNS.toLocaleString('en')} turns, two in each conversation, ${BUSY} at a time, with a provider over HTTP on this machine. A reply has ${TOKENS} tokens, each in its` +
    ` own chunk. RSS is the largest of the samples (four a second) before the garbage collection after which the heap is measured. The run ends after ${MAX_MS / 60_000} minutes.`,

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const atRest = await restOf(() => startService({ DATABASE_URL: database.url }, SHIPPED));
    const provider = await startProvider();
    await provider.setReplies({ tokens: TOKENS, everyMs: 0 });
    const service = await provider.startService('chat', database.url, [...SHIPPED, ...PROBED]);
    const rows: Row[] = [{ name: 'at rest', figures: { rss: figureOf([atRest]) } }];
    const heaps: number[] = [];
    const residents: number[] = [];
    const deadline = performance.now() + MAX_MS;
    for (let turns = STEP; turns <= TURNS && performance.now() < deadline; turns += STEP) {
      let rss = 0;
      const sampling = setInterval(() => {
        rss = Math.max(rss, rssOf(service));
      }, SAMPLE_MS);
      const { perSecond } = await load(service, { ...TURNS_OF_TWO, maxRequests: STEP });
      clearInterval(sampling);
      const { heap } = await memoryOf(service);
      heaps.push(heap);
      residents.push(rss);
      const figures = { heap: figureOf([heap]), rss: figureOf([rss]), perSecond: figureOf([perSecond]) };
      rows.push({ name: `after ${turns.toLocaleString('en')} turns`, figures });
      console.log(
        `${turns} turns: heap ${heap.toFixed(1)} MB, RSS ${rss.toFixed(0)} MB, ${perSecond.toFixed(0)} turns/s`,
      );
    }
    return {
      tables: [{ title: 'Memory of a process', columns: COLUMNS, rows }],
      goals: goalsOf(atRest, heaps, residents),
    };
  },
};

const COLUMNS: readonly Column[] = [
  { key: 'heap', title: 'heap MB', digits: 1 },
  { key: 'rss', title: 'RSS MB', digits: 0 },
  { key: 'perSecond', title: 'turns/s', digits: 0 },
];

const TURNS_OF_TWO = {
  headers: JSON_BY_KEY,
  repeat: [START, CONTINUE],
  concurrency: BUSY,
  durationMs: MAX_MS,
} as const;

async function restOf(start: () => Promise<Target>): Promise<number> {
  const service = await start();
  for (const path of ['/readyz', '/v1/resources']) await fetch(service.url + path, { headers: JSON_BY_KEY });
  await delay(REST_MS);
  const rss = rssOf(service);
  await service.stop();
  return rss;
}

function goalsOf(atRest: number, heaps: readonly number[], residents: readonly number[]): Goal[] {
  const [first = Number.NaN] = heaps;
  const ratio = figureOf(heaps.map((heap) => heap / first));
  const rss = figureOf(residents);
  return [
    { description: 'RSS at rest', limit: 250, is: 'at most', unit: 'MB', measured: figureOf([atRest]) },
    {
      description: `largest RSS over ${(heaps.length * STEP).toLocaleString('en')} turns`,
      limit: 450,
      is: 'at most',
      unit: 'MB',
      measured: { median: rss.most, least: rss.most, most: rss.most },
    },
    {
      description: 'largest heap compared with the first',
      limit: 1.05,
      is: 'at most',
      unit: 'times',
      measured: { median: ratio.most, least: ratio.most, most: ratio.most },
    },
  ];
}
