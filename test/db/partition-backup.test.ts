import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import {
  AUDIT_LOG,
  EVENT_LOG,
  firstIdOf,
  partitionName,
  periodAt,
  WORKFLOW_LOG,
} from '../../src/db/partitions/periods.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, createEmptyPostgres, type TestDatabase } from '../support/database.ts';
import { writeEvent } from '../support/event-log.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf, writeLogs } from '../support/partitions.ts';
import { readTables } from '../support/tables.ts';

const run = promisify(execFile);

const LOGS = [AUDIT_LOG, WORKFLOW_LOG, EVENT_LOG];

describe('the backup of a database with partitions', () => {
  let copy: TestDatabase;
  let original: Database;
  let restored: Database;
  let own: EnvironmentRef;
  let drop = async () => {};
  beforeAll(async () => {
    copy = await createDatabase();
    original = await openDatabase(copy.location);
    own = (await makeTenant(original.prisma)).live;
    await createEveryRow(original.prisma, own);
    await maintainAt(original, new Date());
    await writeLogs(original, own);
    for (const at of [new Date(), inPeriod(EVENT_LOG, 2), new Date('2900-01-01')]) await writeEvent(original, own, at);
    restored = copy.location.kind === 'postgresql' ? await restoreDump(copy.location.url) : await reopen();
  });
  afterAll(async () => {
    await restored?.close();
    await original.close();
    await Promise.all([copy.drop(), drop()]);
  });

  async function restoreDump(from: string): Promise<Database> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-partitions-'));
    const server = await createEmptyPostgres();
    drop = server.drop;
    await run('pg_dump', ['--format=custom', `--file=${join(folder, 'dump')}`, from]);
    await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${server.url}`, join(folder, 'dump')]);
    await rm(folder, { recursive: true });
    return openDatabase({ kind: 'postgresql', url: server.url });
  }

  async function reopen(): Promise<Database> {
    const dump = await original.dump?.();
    if (!dump) throw new Error('An embedded database has a dump.');
    return openDatabase({ kind: 'memory', dump });
  }

  it('has the same partitions, rows, policies, keys and triggers', async () => {
    const everything = async (database: Database) => ({
      partitions: await Promise.all(LOGS.map((log) => partitionsOf(database, log))),
      rows: await asOwner(database, 'SELECT tableoid::regclass::text AS partition, id FROM workflow_log ORDER BY id'),
      entries: await asOwner(database, 'SELECT tableoid::regclass::text AS partition, id FROM audit_entry ORDER BY id'),
      events: await asOwner(database, 'SELECT tableoid::regclass::text AS partition, id FROM event ORDER BY id'),
      tables: await readTables(database.pool, true),
      keys: await asOwner(
        database,
        // PostgreSQL 15 leaves the mark at the part of a key that a validated key has for a partition.
        `SELECT conrelid::regclass::text AS table, replace(pg_get_constraintdef(oid), ' NOT VALID', '') AS key FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'p') ORDER BY 1, 2`,
      ),
      triggers: await asOwner(
        database,
        `SELECT tgrelid::regclass::text AS table, tgname AS name FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`,
      ),
    });
    expect(await everything(restored)).toEqual(await everything(original));
  });

  it('continues the IDs, and drops partitions', async () => {
    const { workflow_log: id } = await writeLogs(restored, own);
    const firstId = BigInt(firstIdOf(WORKFLOW_LOG, periodAt(WORKFLOW_LOG, new Date())));
    // A sequence can skip some IDs after a restart.
    expect(id).toBeGreaterThan(firstId);
    expect(id).toBeLessThan(firstId + 100n);
    await asOwner(restored, 'UPDATE workflow_log SET conversation_id = NULL');
    await asOwner(restored, 'UPDATE retention SET days = 1');
    await maintainAt(restored, inPeriod(WORKFLOW_LOG, 3));
    await asOwner(
      restored,
      `UPDATE webhook_delivery SET status = 'failed', finished_at = now() WHERE status = 'pending'`,
    );
    await asOwner(restored, 'UPDATE webhook_endpoint SET enabled = false');
    await maintainAt(restored, inPeriod(WORKFLOW_LOG, 9), 1, 7);
    for (const log of LOGS) {
      const names = (await partitionsOf(restored, log)).map(({ name }) => name);
      expect(names).toContain(partitionName(log, periodAt(log, inPeriod(WORKFLOW_LOG, 9))));
      expect(names).not.toContain(partitionName(log, periodAt(log, inPeriod(log, log === EVENT_LOG ? 2 : 0))));
      expect(names).not.toContain(`${log.table}_first`);
    }
  });
});
