import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from './core/database.ts';
import { rssOf } from './core/memory.ts';
import { options } from './core/options.ts';
import { KEY, SHIPPED, startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Column, Findings, Goal } from './core/results.ts';
import { alternate, figure, ratio, type Sample } from './core/statistics.ts';
import { JSON_BY_KEY, PATH, START } from './core/turns.ts';

const ROUNDS = options.quick ? 2 : 7;

const ON_POSTGRES = 'PostgreSQL';
const ON_PGLITE = 'PGlite';
const BASELINE = 'Express';

const COLUMNS: readonly Column[] = [
  { key: 'ready', title: 'ready ms', digits: 0 },
  { key: 'response', title: 'first response ms', digits: 0 },
  { key: 'turn', title: 'first turn ms', digits: 0 },
  { key: 'rss', title: 'RSS MB', digits: 0 },
  { key: 'ratio', title: 'first response × Express', digits: 2 },
];

export const bench: Bench = {
  about:
    'A start on an existing database, with the options of Node of `npm start` and of the image (`--liftoff-only --max-semi-space-size=16`) and the compile cache of an earlier start (Node 22 and newer have one). Times run from the spawn of the process until' +
    ' `/readyz` returns 200, then until GET /v1/resources with a key has a response, then until the first turn of the demo agent (v2) has a response.' +
    ' RSS is the memory of the process after that. PGlite uses a directory. The baseline is a bare Express server, with a compile cache too,' +
    ' until its first response.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const directory = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    const env = { NODE_COMPILE_CACHE: join(directory, 'compiled') };
    const variants = {
      [ON_POSTGRES]: () => measureStart(() => startService({ DATABASE_URL: database.url }, SHIPPED), toTurn),
      [ON_PGLITE]: () => measureStart(() => startService({ DATA_DIR: join(directory, 'data') }, SHIPPED), toTurn),
      [BASELINE]: () => measureStart(() => startTarget({ script: 'bench/express-live.js', env }), toResponse),
    };
    try {
      // The first run creates the databases and the compile caches.
      await alternate(variants, 1);
      const samples = await alternate(variants, ROUNDS);
      const rows = Object.keys(samples).map((name) => ({
        name,
        figures: {
          ...Object.fromEntries(COLUMNS.map(({ key }) => [key, figure(samples, name, key)])),
          ratio: ratio(samples, name, BASELINE, 'response'),
        },
      }));
      const goal = (name: string, limit: number): Goal => ({
        description: `start on ${name}: first response`,
        limit,
        is: 'at most',
        unit: 'ms',
        measured: figure(samples, name, 'response'),
      });
      return {
        tables: [{ title: 'From the start of the process', columns: COLUMNS, rows }],
        goals: [goal(ON_POSTGRES, 800), goal(ON_PGLITE, 1_200)],
      };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** Starts a server, sends its first requests and stops it. Times count from the start. */
async function measureStart(
  start: () => Promise<Target>,
  requests: (url: string, tookMs: () => number) => Promise<Sample>,
): Promise<Sample> {
  const startedAt = performance.now();
  const target = await start();
  const times = await requests(target.url, () => performance.now() - startedAt);
  const rss = rssOf(target);
  await target.stop();
  return { ...times, rss };
}

async function toTurn(url: string, tookMs: () => number): Promise<Sample> {
  await expectOk(`${url}/readyz`, {});
  const ready = tookMs();
  const { response = Number.NaN } = await toResponse(url, tookMs);
  await expectOk(url + PATH, { method: START.method, headers: JSON_BY_KEY, body: START.body ?? '' });
  return { ready, response, turn: tookMs() };
}

async function toResponse(url: string, tookMs: () => number): Promise<Sample> {
  await expectOk(`${url}/v1/resources`, { headers: { 'x-api-key': KEY } });
  return { response: tookMs() };
}

async function expectOk(url: string, request: RequestInit): Promise<void> {
  const response = await fetch(url, request);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${body}`);
}
