import { type BenchDatabase, createDatabase } from './core/database.ts';
import { type LoadClient, startLoadClient } from './core/load.ts';
import { options } from './core/options.ts';
import { recordContinue } from './core/pgbench.ts';
import { turnCost } from './core/postgres-use.ts';
import { startService } from './core/processes.ts';
import type { Bench, Column, Findings } from './core/results.ts';
import { alternate, figure, type Sample } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, START } from './core/turns.ts';

const ROUNDS = options.quick ? 1 : 3;
const PROCESSES = [1, 2, 4];
const WINDOW_MS = options.quick ? 3_000 : 8_000;
const WARM_UP_MS = options.quick ? 2_000 : 5_000;

/** The concurrent turns of all processes together. */
const CONCURRENCY = 32;

export const bench: Bench = {
  about:
    'Continues of the demo agent over REST (v2) by 1, 2 and 4 processes on one PostgreSQL server, 32 at a time in total. Each process has its' +
    ' own load client. All of them share the cores of the machine, so turns per second are a lower bound. The CPU time of PostgreSQL is that of the' +
    ' server processes of the connections, without the checkpointer, the WAL writer and autovacuum. The WAL is that of the whole server.' +
    ' pgbench sends the statements of a continue without Parley.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const baseline = await recordContinue(database);
    const clients = PROCESSES.flatMap(() => [startLoadClient(), startLoadClient()]);
    const services = PROCESSES.map((count) => {
      const name = count === 1 ? '1 process' : `${count} processes`;
      return [name, () => measure(database, clients.slice(0, count))] as const;
    });
    const pgbench = async (): Promise<Sample> => {
      let sample: Sample = {};
      const run = async () => {
        sample = await baseline.run(CONCURRENCY, WINDOW_MS);
      };
      const cost = await turnCost(database, run, async () => {});
      // Its connections end before their CPU time can be read.
      return { ...cost, pgCpuMs: Number.NaN, connections: CONCURRENCY, perSecond: sample.perSecond ?? Number.NaN };
    };
    const samples = await alternate({ ...Object.fromEntries(services), pgbench }, ROUNDS);
    const rows = Object.keys(samples).map((name) => ({
      name,
      figures: Object.fromEntries(COLUMNS.map(({ key }) => [key, figure(samples, name, key)])),
    }));
    return { tables: [{ title: 'Turns on one PostgreSQL server', columns: COLUMNS, rows }], goals: [] };
  },
};

const COLUMNS: readonly Column[] = [
  { key: 'perSecond', title: 'turns/s', digits: 0 },
  { key: 'cpuMs', title: 'CPU ms/turn, Parley', digits: 3 },
  { key: 'pgCpuMs', title: 'CPU ms/turn, PostgreSQL', digits: 3 },
  { key: 'walKb', title: 'WAL kB/turn', digits: 2 },
  { key: 'storedKb', title: 'stored kB/turn', digits: 2 },
  { key: 'inserted', title: 'rows inserted/turn', digits: 2 },
  { key: 'updated', title: 'rows updated/turn', digits: 2 },
  { key: 'deleted', title: 'rows deleted/turn', digits: 2 },
  { key: 'commits', title: 'commits/turn', digits: 2 },
  { key: 'connections', title: 'connections', digits: 0 },
];

/** One process for each load client. */
async function measure(database: BenchDatabase, clients: readonly LoadClient[]): Promise<Sample> {
  const services = await Promise.all(clients.map(() => startService({ DATABASE_URL: database.url })));
  const order = {
    headers: JSON_BY_KEY,
    first: [START],
    repeat: [CONTINUE],
    concurrency: CONCURRENCY / clients.length,
    durationMs: WINDOW_MS,
    warmUpMs: WARM_UP_MS,
  };
  let [perSecond, requests, cpuMs] = [0, 0, 0];
  const load = async () => {
    const runs = services.map((service, index) => (clients[index] as LoadClient).run(service, order));
    for (const figures of await Promise.all(runs)) {
      perSecond += figures.perSecond;
      requests += figures.requests;
      cpuMs += figures.cpuMs * figures.requests;
    }
  };
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
  };
  const cost = await turnCost(database, load, stop);
  return { ...cost, perSecond, cpuMs: cpuMs / requests };
}
