import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadTable } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import type { Load } from './core/load.ts';
import { memoryOf, PROBED } from './core/memory.ts';
import { BUSY, LEVELS, options, ROUNDS, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { recordContinue } from './core/pgbench.ts';
import { startService, type Target } from './core/processes.ts';
import type { Bench, Findings, Goal, Table } from './core/results.ts';
import { alternate, figure, figureOf, ratio, type Sample, type Samples } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, START } from './core/turns.ts';

const CROWD = 32;

/** Turns after which memory is looked at. */
const SOME = options.quick ? 500 : 2_000;
const MANY = options.quick ? 3_000 : 20_000;

const ON_POSTGRES = 'continue, PostgreSQL';
const ON_PGLITE = 'continue, PGlite';
const FLOOR = 'continue, pgbench';
const FLOORS = [{ name: FLOOR, title: 'pgbench', by: 'perSecond' }] as const;

export const bench: Bench = {
  about:
    'A turn of the demo agent over REST (v2): a start, and a continue of a conversation of the worker’s own. The floor is' +
    ' pgbench with `-M prepared`, which sends the statements that the service was seen to send for a continue, with the' +
    ' values that it sent, over 32 connections at most. On PGlite the database’s own work is part of the process.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url }, PROBED);
    const directory = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    const embedded = await startService({ DATA_DIR: directory });
    try {
      const memory = await memoryTable(service);
      await load(embedded, { ...ordered(ON_PGLITE, BUSY), durationMs: WARM_UP_MS });
      const floor = await recordContinue(database);
      const tables: Table[] = [];
      const goals: Goal[] = [];
      for (const concurrency of [...new Set([...LEVELS, CROWD])].sort((a, b) => a - b)) {
        const on = (target: Target, what: string) => () => load(target, ordered(what, concurrency));
        const samples = await alternate(
          {
            'start, PostgreSQL': on(service, 'start, PostgreSQL'),
            [ON_POSTGRES]: on(service, ON_POSTGRES),
            'start, PGlite': on(embedded, 'start, PGlite'),
            [ON_PGLITE]: on(embedded, ON_PGLITE),
            [FLOOR]: async () => floorSample(await floor.run(concurrency, WINDOW_MS)),
          },
          ROUNDS,
        );
        tables.push(loadTable(`Turns, concurrency ${concurrency}`, samples, FLOORS));
        goals.push(...goalsAt(concurrency, samples));
      }
      return { tables: [...tables, memory.table], goals: [...goals, ...memory.goals] };
    } finally {
      await embedded.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function ordered(what: string, concurrency: number): Load {
  const turns = what.startsWith('start') ? { again: [START] } : { first: [START], again: [CONTINUE] };
  return { headers: JSON_BY_KEY, ...turns, concurrency, durationMs: WINDOW_MS, warmUpMs: WINDOW_MS / 5 };
}

/** pgbench tells no quantiles without a log of each transaction: its average stands where the median does. */
function floorSample({ perSecond = 0, average = 0 }: Sample): Sample {
  return { perSecond, p50: average };
}

function goalsAt(concurrency: number, samples: Samples): Goal[] {
  const of = (name: string, key: string) => figure(samples, name, key);
  const at = `concurrency ${concurrency}`;
  if (concurrency === 1) {
    const measured = of(ON_POSTGRES, 'p50');
    return [{ what: `${ON_POSTGRES}, ${at}: median`, limit: 5, is: 'at most', unit: 'ms', measured }];
  }
  if (concurrency === CROWD) {
    const measured = of(ON_POSTGRES, 'p99');
    return [{ what: `${ON_POSTGRES}, ${at}: p99`, limit: 100, is: 'at most', unit: 'ms', measured }];
  }
  if (concurrency !== BUSY) return [];
  const share = ratio(samples, ON_POSTGRES, FLOOR, 'perSecond');
  return [
    { what: `${ON_POSTGRES}, ${at}: CPU`, limit: 1, is: 'at most', unit: 'ms', measured: of(ON_POSTGRES, 'cpuMs') },
    {
      what: `${ON_POSTGRES}, ${at}: throughput beside pgbench`,
      limit: 0.25,
      is: 'at least',
      unit: 'times',
      measured: share,
    },
    { what: `${ON_PGLITE}, ${at}`, limit: 250, is: 'at least', unit: 'turns/s', measured: of(ON_PGLITE, 'perSecond') },
  ];
}

/** Each conversation has two turns, so their number grows with that of the turns. */
async function memoryTable(service: Target): Promise<{ table: Table; goals: Goal[] }> {
  const turns = (most: number): Load => ({
    headers: JSON_BY_KEY,
    again: [START, CONTINUE],
    concurrency: BUSY,
    durationMs: 240_000,
    most,
  });
  await load(service, turns(SOME));
  const early = await memoryOf(service);
  await load(service, turns(MANY - SOME));
  const late = await memoryOf(service);
  const row = (name: string, { heap, rss }: typeof early) => ({
    name: `after ${name} turns`,
    figures: { heap: figureOf([heap]), rss: figureOf([rss]) },
  });
  const goal = (what: 'heap' | 'rss'): Goal => ({
    what: `${what} after ${MANY.toLocaleString('en')} turns beside ${SOME.toLocaleString('en')}`,
    limit: 1.1,
    is: 'at most',
    unit: 'times',
    measured: figureOf([late[what] / early[what]]),
  });
  const columns = [
    { key: 'heap', title: 'heap MB', digits: 1 },
    { key: 'rss', title: 'RSS MB', digits: 0 },
  ];
  const rows = [row(SOME.toLocaleString('en'), early), row(MANY.toLocaleString('en'), late)];
  const title = 'Memory once garbage and its pages are given back, two turns to a conversation, PostgreSQL';
  return { table: { title, columns, rows }, goals: [goal('heap'), goal('rss')] };
}
