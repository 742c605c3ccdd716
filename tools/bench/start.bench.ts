import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from './core/database.ts';
import { rssOf } from './core/memory.ts';
import { options } from './core/options.ts';
import { KEY, startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Column, Findings } from './core/results.ts';
import { alternate, figure, ratio, type Sample } from './core/statistics.ts';
import { JSON_BY_KEY, PATH, START } from './core/turns.ts';

const ROUNDS = options.quick ? 2 : 7;

const ON_POSTGRES = 'PostgreSQL';
const ON_PGLITE = 'PGlite';
const FLOOR = 'Express';

const COLUMNS: readonly Column[] = [
  { key: 'ready', title: 'ready ms', digits: 0 },
  { key: 'answer', title: 'first answer ms', digits: 0 },
  { key: 'turn', title: 'first turn ms', digits: 0 },
  { key: 'rss', title: 'RSS MB', digits: 0 },
  { key: 'beside', title: 'first answer × Express', digits: 2 },
];

export const bench: Bench = {
  about:
    'A start on a database that is there, with the compile cache of a start before (Node 22 and newer have one): from the moment the process is spawned until' +
    ' `/readyz` answers 200, then until GET /v1/resources is answered by a key, then until a turn of the demo agent (v2) is, which is the first one of the' +
    ' process; and the memory that the process has then. PGlite is a directory. The floor is `node` with a bare Express server, with a compile cache too,' +
    ' to its first answer.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const directory = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    const env = { NODE_COMPILE_CACHE: join(directory, 'compiled') };
    const variants = {
      [ON_POSTGRES]: () => started(() => startService({ DATABASE_URL: database.url }), toTurn),
      [ON_PGLITE]: () => started(() => startService({ DATA_DIR: join(directory, 'data') }), toTurn),
      [FLOOR]: () => started(() => startTarget({ script: 'bench/express-live.js', env }), toAnswer),
    };
    try {
      // It makes the databases and the compile caches.
      await alternate(variants, 1);
      const samples = await alternate(variants, ROUNDS);
      const rows = Object.keys(samples).map((name) => ({
        name,
        figures: {
          ...Object.fromEntries(COLUMNS.map(({ key }) => [key, figure(samples, name, key)])),
          beside: ratio(samples, name, FLOOR, 'answer'),
        },
      }));
      const measured = figure(samples, ON_POSTGRES, 'answer');
      return {
        tables: [{ title: 'From the start of the process', columns: COLUMNS, rows }],
        goals: [{ what: 'start on PostgreSQL: first answer', limit: 1_500, is: 'at most', unit: 'ms', measured }],
      };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** Starts a server, asks it, and stops it. Times count from the start. */
async function started(
  start: () => Promise<Target>,
  asked: (url: string, tookMs: () => number) => Promise<Sample>,
): Promise<Sample> {
  const startedAt = performance.now();
  const target = await start();
  const times = await asked(target.url, () => performance.now() - startedAt);
  const rss = rssOf(target);
  await target.stop();
  return { ...times, rss };
}

async function toTurn(url: string, tookMs: () => number): Promise<Sample> {
  await answered(`${url}/readyz`, {});
  const ready = tookMs();
  const { answer = Number.NaN } = await toAnswer(url, tookMs);
  await answered(url + PATH, { method: START.method, headers: JSON_BY_KEY, body: START.body ?? '' });
  return { ready, answer, turn: tookMs() };
}

async function toAnswer(url: string, tookMs: () => number): Promise<Sample> {
  await answered(`${url}/v1/resources`, { headers: { 'x-api-key': KEY } });
  return { answer: tookMs() };
}

async function answered(url: string, request: RequestInit): Promise<void> {
  const answer = await fetch(url, request);
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${body}`);
}
