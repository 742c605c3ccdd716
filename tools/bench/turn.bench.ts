import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadTable } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import type { Load } from './core/load.ts';
import { memoryOf, PROBED } from './core/memory.ts';
import { BUSY, LEVELS, options, ROUNDS, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { recordContinue } from './core/pgbench.ts';
import { startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Findings, Goal, Table } from './core/results.ts';
import { alternate, figure, figureOf, ratio, type Sample, type Samples } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, START } from './core/turns.ts';

const HIGH_CONCURRENCY = 32;

/** The numbers of turns after which memory is measured. */
const SOME = options.quick ? 500 : 2_000;
const MANY = options.quick ? 3_000 : 20_000;

const ON_POSTGRES = 'continue, PostgreSQL';
const ON_PGLITE = 'continue, PGlite';
const BASELINE = 'continue, pgbench';
const ON_EXPRESS = 'continue, Express + pg, the same statements';
const BASELINES = [
  { name: BASELINE, title: 'pgbench', by: 'perSecond' },
  { name: ON_EXPRESS, title: 'Express + pg' },
] as const;

export const bench: Bench = {
  about:
    'A turn of the demo agent over REST (v2): a start, and a continue of a conversation that only this worker uses. The baseline is' +
    ' pgbench with `-M prepared`. It sends the recorded statements of a continue with their recorded' +
    ' values, over at most 32 connections. `Express + pg` executes them in a route that does nothing else. On PGlite, the CPU time includes the work of the database.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url }, PROBED);
    const directory = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    const embedded = await startService({ DATA_DIR: directory });
    try {
      const memory = await memoryTable(service);
      // Autovacuum does it within a minute of a new database's first turns.
      await database.query('VACUUM ANALYZE');
      await load(embedded, { ...loadOf(ON_PGLITE, BUSY), durationMs: WARM_UP_MS });
      const baseline = await recordContinue(database);
      const recording = join(directory, 'turn.json');
      writeFileSync(recording, JSON.stringify(baseline));
      const env = { DATABASE_URL: database.url, RECORDED_TURN: recording };
      const express = await startTarget({ script: 'bench/express-turns.js', env });
      const tables: Table[] = [];
      const goals: Goal[] = [];
      for (const concurrency of [...new Set([...LEVELS, HIGH_CONCURRENCY])].sort((a, b) => a - b)) {
        const on = (target: Target, description: string) => () => load(target, loadOf(description, concurrency));
        const samples = await alternate(
          {
            'start, PostgreSQL': on(service, 'start, PostgreSQL'),
            [ON_POSTGRES]: on(service, ON_POSTGRES),
            'start, PGlite': on(embedded, 'start, PGlite'),
            [ON_PGLITE]: on(embedded, ON_PGLITE),
            [ON_EXPRESS]: on(express, ON_EXPRESS),
            [BASELINE]: async () => baselineSample(await baseline.run(concurrency, WINDOW_MS)),
          },
          ROUNDS,
        );
        tables.push(loadTable(`Turns, concurrency ${concurrency}`, samples, BASELINES));
        goals.push(...goalsAt(concurrency, samples));
      }
      return { tables: [...tables, memory.table], goals: [...goals, ...memory.goals] };
    } finally {
      await embedded.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function loadOf(description: string, concurrency: number): Load {
  const turns = description.startsWith('start') ? { repeat: [START] } : { first: [START], repeat: [CONTINUE] };
  return { headers: JSON_BY_KEY, ...turns, concurrency, durationMs: WINDOW_MS, warmUpMs: WINDOW_MS / 5 };
}

/** Without a log of each transaction, pgbench reports no quantiles. Its average replaces the median. */
function baselineSample({ perSecond = 0, average = 0 }: Sample): Sample {
  return { perSecond, p50: average };
}

function goalsAt(concurrency: number, samples: Samples): Goal[] {
  const of = (name: string, key: string) => figure(samples, name, key);
  const at = `concurrency ${concurrency}`;
  if (concurrency === 1) {
    const measured = of(ON_POSTGRES, 'p50');
    return [{ description: `${ON_POSTGRES}, ${at}: median`, limit: 5, is: 'at most', unit: 'ms', measured }];
  }
  if (concurrency === HIGH_CONCURRENCY) {
    const share = ratio(samples, ON_POSTGRES, BASELINE, 'perSecond');
    const description = `${ON_POSTGRES}, ${at}`;
    return [
      { description: `${description}: p99`, limit: 100, is: 'at most', unit: 'ms', measured: of(ON_POSTGRES, 'p99') },
      {
        description: `${description}: throughput compared with pgbench`,
        limit: 0.6,
        is: 'at least',
        unit: 'times',
        measured: share,
      },
    ];
  }
  if (concurrency !== BUSY) return [];
  return [
    {
      description: `${ON_POSTGRES}, ${at}: CPU`,
      limit: 0.5,
      is: 'at most',
      unit: 'ms',
      measured: of(ON_POSTGRES, 'cpuMs'),
    },
    {
      description: `${ON_PGLITE}, ${at}`,
      limit: 250,
      is: 'at least',
      unit: 'turns/s',
      measured: of(ON_PGLITE, 'perSecond'),
    },
  ];
}

/** Each conversation has two turns, so the number of conversations grows with the turns. */
async function memoryTable(service: Target): Promise<{ table: Table; goals: Goal[] }> {
  const turns = (most: number): Load => ({
    headers: JSON_BY_KEY,
    repeat: [START, CONTINUE],
    concurrency: BUSY,
    durationMs: 240_000,
    maxRequests: most,
  });
  await load(service, turns(SOME));
  const early = await memoryOf(service);
  await load(service, turns(MANY - SOME));
  const late = await memoryOf(service);
  const row = (name: string, { heap, rss }: typeof early) => ({
    name: `after ${name} turns`,
    figures: { heap: figureOf([heap]), rss: figureOf([rss]) },
  });
  const goal = (description: 'heap' | 'rss'): Goal => ({
    description: `${description} after ${MANY.toLocaleString('en')} turns compared with ${SOME.toLocaleString('en')}`,
    limit: 1.1,
    is: 'at most',
    unit: 'times',
    measured: figureOf([late[description] / early[description]]),
  });
  const columns = [
    { key: 'heap', title: 'heap MB', digits: 1 },
    { key: 'rss', title: 'RSS MB', digits: 0 },
  ];
  const rows = [row(SOME.toLocaleString('en'), early), row(MANY.toLocaleString('en'), late)];
  const title = 'Memory after garbage collection and the release of free pages, two turns per conversation, PostgreSQL';
  return { table: { title, columns, rows }, goals: [goal('heap'), goal('rss')] };
}
