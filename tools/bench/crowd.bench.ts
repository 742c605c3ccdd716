import { hashToken } from '../../src/domain/access/tokens.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { cpuMsOf } from './core/cpu.ts';
import { type BenchDatabase, createDatabase } from './core/database.ts';
import { memoryOf, PROBED } from './core/memory.ts';
import { options } from './core/options.ts';
import { KEY, SHIPPED, startService } from './core/processes.ts';
import type { Bench, Column, Findings } from './core/results.ts';
import { figureOf } from './core/statistics.ts';
import { startSubscribers } from './core/subscribers.ts';

/** A process of the measured machine can have 20,000 open files. */
const SUBSCRIBERS = options.quick ? 2_000 : 19_000;
const EVENTS = 10;

export const bench: Bench = {
  about: `${SUBSCRIBERS.toLocaleString('en')} subscribers of one process, like those of \`fanout\`, half of them with a second key, in one client process. The measurement fails if one of them does not get one of ${EVENTS} events.`,

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url }, [...SHIPPED, ...PROBED]);
    const empty = await memoryOf(service);
    const subscribers = startSubscribers(service.url);
    await subscribers.open(SUBSCRIBERS / 2);
    await subscribers.open(SUBSCRIBERS, await secondKey(database));
    const before = cpuMsOf(service.pid);
    const last: number[] = [];
    for (let count = 0; count < EVENTS; count += 1) last.push((await subscribers.event()).last);
    const cpu = ((cpuMsOf(service.pid) - before) * 1_000) / (EVENTS * SUBSCRIBERS);
    const full = await memoryOf(service);
    subscribers.close();
    const figures = {
      last: figureOf(last),
      cpu: figureOf([cpu]),
      heap: figureOf([((full.heap - empty.heap) * 2 ** 10) / SUBSCRIBERS]),
      rss: figureOf([full.rss]),
    };
    const rows = [{ name: `${SUBSCRIBERS.toLocaleString('en')} subscribers`, figures }];
    const measured = figures.heap;
    return {
      tables: [{ title: 'Many subscribers of one process', columns: COLUMNS, rows }],
      goals: [{ description: 'heap of a subscriber', limit: 10, is: 'at most', unit: 'kB', measured }],
    };
  },
};

/** A key has at most 10,000 streams. */
async function secondKey(database: BenchDatabase): Promise<string> {
  const key = `sk_live_${'c'.repeat(43)}`;
  await database.query(
    `INSERT INTO api_key (id, environment_id, name, token_hash, last_four, scopes, created_at)
     SELECT $1, environment_id, name, $2, last_four, scopes, created_at FROM api_key WHERE token_hash = $3`,
    [newTypeId('key'), hashToken(key), hashToken(KEY)],
  );
  return key;
}

const COLUMNS: readonly Column[] = [
  { key: 'last', title: 'until all have an event, ms', digits: 0 },
  { key: 'cpu', title: 'CPU µs/delivery', digits: 1 },
  { key: 'heap', title: 'heap kB each', digits: 1 },
  { key: 'rss', title: 'RSS of the process, MB', digits: 0 },
];
