import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { checkpointAfter } from '../../src/db/embedded/checkpoints.ts';
import { analyzeGrown } from '../../src/db/embedded/statistics.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;

let path: string;
let database: Database;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'parley-checkpoints-'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  database = await openDatabase({ kind: 'directory', path });
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
  await rm(path, { recursive: true });
});

async function logBytes(): Promise<number> {
  const { rows } = await database.pool.query(
    'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) AS bytes FROM pg_control_checkpoint()',
  );
  return Number(rows[0].bytes);
}

const write = (mebibytes: number) =>
  database.asOwner((owner) =>
    owner.query(`CREATE TABLE IF NOT EXISTS filling (text text); INSERT INTO filling
                 SELECT md5(random()::text) FROM generate_series(1, ${mebibytes * 11_000}); DELETE FROM filling`),
  );

it('an embedded database writes a checkpoint when its log is long enough', async () => {
  await write(2);
  expect(await checkpointAfter(database.pool, 1024 * MIB)).toBe(false);
  expect(await logBytes()).toBeGreaterThan(MIB);
  expect(await checkpointAfter(database.pool, MIB)).toBe(true);
  expect(await logBytes()).toBeLessThan(MIB);
});

it('an embedded database looks for it once a minute', async () => {
  await write(64);
  expect(await logBytes()).toBeGreaterThan(64 * MIB);
  vi.advanceTimersByTime(60_000);
  await until(async () => (await logBytes()) < MIB);
});

it('an embedded database analyzes the tables that have grown, once a minute', async () => {
  const rows = async () => {
    const { rows } = await database.pool.query("SELECT reltuples FROM pg_class WHERE relname = 'measured'");
    return Number(rows[0].reltuples);
  };
  const fill = (count: number) =>
    database.asOwner((owner) =>
      owner.query(
        `CREATE TABLE IF NOT EXISTS measured (number int); INSERT INTO measured SELECT generate_series(1, ${count})`,
      ),
    );
  await fill(10);
  await analyzeGrown(database.pool);
  expect(await rows()).toBe(-1);
  await fill(10_000);
  vi.advanceTimersByTime(60_000);
  await until(async () => (await rows()) > 9_000);
  expect(await analyzeGrown(database.pool)).toBe(0);
});
