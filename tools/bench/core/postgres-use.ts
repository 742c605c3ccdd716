import { cpuMsOf } from './cpu.ts';
import type { BenchDatabase } from './database.ts';

/** What PostgreSQL has done for one database so far. */
interface Use {
  readonly turns: number;
  readonly walBytes: number;
  readonly storedBytes: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly commits: number;
}

/** Per turn: PostgreSQL's CPU time, WAL and rows. */
export type TurnCost = Readonly<
  Record<'pgCpuMs' | 'walKb' | 'storedKb' | 'inserted' | 'updated' | 'deleted' | 'commits' | 'connections', number>
>;

/**
 * Runs `load` and returns what a turn costs PostgreSQL. `stop` ends the clients of the database, because their
 * connections report rows late. The WAL is that of the whole server. The server must run on this machine.
 */
export async function turnCost(
  database: BenchDatabase,
  load: () => Promise<void>,
  stop: () => Promise<void>,
): Promise<TurnCost> {
  const before = await useOf(database);
  const cpuBefore = await backendCpu(database);
  await load();
  const cpuAfter = await backendCpu(database);
  const { turns: turnsAfter } = await useOf(database);
  await stop();
  const after = await useOf(database);
  const turns = after.turns - before.turns;
  const each = (key: keyof Use) => (after[key] - before[key]) / turns;
  const cpuMs = [...cpuAfter].reduce((sum, [pid, ms]) => sum + ms - (cpuBefore.get(pid) ?? 0), 0);
  return {
    pgCpuMs: cpuMs / (turnsAfter - before.turns),
    walKb: each('walBytes') / 2 ** 10,
    storedKb: each('storedBytes') / 2 ** 10,
    inserted: each('inserted'),
    updated: each('updated'),
    deleted: each('deleted'),
    commits: each('commits'),
    connections: cpuAfter.size,
  };
}

async function useOf(database: BenchDatabase): Promise<Use> {
  const { rows } = await database.query(`
    SELECT (SELECT count(*) FROM run WHERE status = 'completed')::float AS turns,
           (pg_current_wal_lsn() - '0/0')::float AS "walBytes", pg_database_size(current_database())::float AS "storedBytes",
           tup_inserted::float AS inserted, tup_updated::float AS updated, tup_deleted::float AS deleted,
           xact_commit::float AS commits
    FROM pg_stat_database WHERE datname = current_database()`);
  return rows[0] as Use;
}

/** The CPU time of each server process that serves a client of the database, in milliseconds. */
async function backendCpu(database: BenchDatabase): Promise<ReadonlyMap<number, number>> {
  const { rows } = await database.query(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return new Map(rows.map(({ pid }) => [pid, cpuMsOf(pid)]));
}
