import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyMigration, MigrationLockError } from '../../src/db/apply-migration.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { ForeignDatabaseError, isMigrated, migrate } from '../../src/db/migrate.ts';
import { OUTSIDE_TRANSACTION, readMigrations } from '../../src/db/migrations.ts';
import { maintainLogs } from '../../src/domain/retention/maintain-logs.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import {
  createDatabase,
  createEmptyPostgres,
  openPool,
  POSTGRES_URL,
  ROOT,
  type TestDatabase,
} from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type LaterRelease, laterMigrations } from '../support/later-migrations.ts';
import { maintenanceOf } from '../support/partitions.ts';
import { until } from '../support/until.ts';

const OUTSIDE = `${OUTSIDE_TRANSACTION}\n`;

const INDEX = `${OUTSIDE}-- Finds runs; by model.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "workspace_name_later" ON "workspace"("name");`;

describe('migrations', () => {
  let copy: TestDatabase;
  let database: Database;
  let later: LaterRelease;
  beforeEach(async () => {
    [copy, later] = await Promise.all([createDatabase(), laterMigrations()]);
    database = await openDatabase(copy.location);
  });
  afterEach(async () => {
    await database.close();
    await Promise.all([copy.drop(), later.remove()]);
  });

  const asOwner = <Row extends object>(text: string) =>
    database.asOwner(async (connection) => (await connection.query<Row>(text)).rows);

  const indexIsValid = async (name: string) =>
    (
      await asOwner<{ valid: boolean }>(
        `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${name}')`,
      )
    )[0]?.valid;

  it('apply what is missing, once, and record it like prisma migrate deploy', async () => {
    await later.add('column', 'ALTER TABLE "run" ADD COLUMN "later" INTEGER NOT NULL DEFAULT 7;');
    expect(await isMigrated(database, later.root)).toBe(false);
    expect(await migrate(database, later.root)).toEqual(['99990101000000_column']);
    expect(await migrate(database, later.root)).toEqual([]);
    expect(await isMigrated(database, later.root)).toBe(true);
    const rows = await asOwner(
      `SELECT length(id) AS id, length(checksum) AS checksum, finished_at >= started_at AS finished, rolled_back_at, logs,
              applied_steps_count AS steps FROM _prisma_migrations WHERE migration_name LIKE '9999%'`,
    );
    expect(rows).toEqual([{ id: 36, checksum: 64, finished: true, rolled_back_at: null, logs: null, steps: 1 }]);
  });

  it('leave nothing of a script that fails, and apply it once it is correct', async () => {
    await later.add('broken', 'CREATE TABLE "later" (id INT); SELECT missing();');
    await expect(migrate(database, later.root)).rejects.toThrow('missing()');
    expect(await asOwner(`SELECT to_regclass('later') AS found`)).toEqual([{ found: null }]);
    await later.add('broken', 'CREATE TABLE "later" (id INT);');
    expect(await migrate(database, later.root)).toEqual(['99990101000000_broken']);
  });

  it('apply a script whose process died, even if an earlier release began it', async () => {
    await asOwner(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', 'x', '99990101000000_column')`,
    );
    await later.add('column', 'ALTER TABLE "run" ADD COLUMN "later" TEXT;');
    expect(await migrate(database, later.root)).toEqual(['99990101000000_column']);
    const rows = await asOwner(`SELECT count(finished_at)::int AS finished, count(rolled_back_at)::int AS rolled_back
      FROM _prisma_migrations WHERE migration_name LIKE '9999%'`);
    expect(rows).toEqual([{ finished: 1, rolled_back: 1 }]);
  });

  it('create an index outside a transaction, and build it again if its creation was interrupted', async () => {
    await later.add('index', INDEX);
    const insert = `INSERT INTO workspace (id, name, created_at) VALUES (gen_random_uuid(), 'twin', now())`;
    await asOwner(`${insert}; ${insert}`);
    await expect(migrate(database, later.root)).rejects.toThrow('workspace_name_later');
    expect(await indexIsValid('workspace_name_later')).toBe(database.embedded ? undefined : false);
    await asOwner(`DELETE FROM workspace WHERE name = 'twin'`);
    expect(await migrate(database, later.root)).toEqual(['99990101000000_index']);
    expect(await indexIsValid('workspace_name_later')).toBe(true);
  });

  it('create an index of a partitioned table on each partition, again after an interruption', async () => {
    await maintainLogs(maintenanceOf(database));
    await createEveryRow(database.prisma, (await makeTenant(database.prisma)).live);
    await asOwner(`UPDATE workflow_log SET model = ''`);
    await later.add(
      'index',
      `${OUTSIDE}CREATE INDEX CONCURRENTLY IF NOT EXISTS "log_later" ON "workflow_log"((1 / length("model")));`,
    );
    await expect(migrate(database, later.root)).rejects.toThrow('division by zero');
    expect(await indexIsValid('log_later')).toBe(database.embedded ? undefined : false);
    await asOwner(`UPDATE workflow_log SET model = 'demo'`);
    expect(await migrate(database, later.root)).toEqual(['99990101000000_index']);
    expect(await indexIsValid('log_later')).toBe(true);
    const partitions = await asOwner(`SELECT indrelid::regclass::text AS name, indisvalid AS valid
      FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid WHERE inhparent = 'log_later'::regclass ORDER BY 1`);
    const tables = await asOwner(`SELECT inhrelid::regclass::text AS name, true AS valid
      FROM pg_inherits WHERE inhparent = 'workflow_log'::regclass ORDER BY 1`);
    expect(tables).toHaveLength(4);
    expect(partitions).toEqual(tables);
  });

  describe.skipIf(!POSTGRES_URL)('on a PostgreSQL server', () => {
    const poolOf = (max: number) => openPool(copy.location.kind === 'postgresql' ? copy.location.url : '', max);

    it('do not make requests wait for a lock that others hold, and give up after a while', async () => {
      await later.add('column', 'ALTER TABLE "run" ADD COLUMN "later" TEXT;');
      const pool = poolOf(2);
      const holder = await pool.connect();
      try {
        await holder.query('BEGIN; SELECT count(*) FROM run');
        const migration = (await readMigrations(later.root)).at(-1);
        if (!migration) throw new Error('There is no migration.');
        const failed = database.asOwner((connection) => applyMigration(connection, migration, 1_000));
        await expect(failed).rejects.toThrow(MigrationLockError);

        const applied = migrate(database, later.root);
        await until(async () => (await waiting()) > 0);
        const startedAt = performance.now();
        await pool.query('SELECT count(*) FROM run');
        // Without a timeout of the lock, this read would wait until the holder commits: after this read.
        expect(performance.now() - startedAt).toBeLessThan(busyMs(10_000));
        await holder.query('COMMIT');
        expect(await applied).toEqual(['99990101000000_column']);
      } finally {
        holder.release(true);
        await pool.end();
      }
    });

    const waiting = async () =>
      Number(
        (
          await asOwner<{ count: string }>(
            `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = pg_locks.database
             WHERE NOT granted AND locktype = 'relation' AND d.datname = current_database()`,
          )
        )[0]?.count,
      );

    it('of two processes do not wait for each other while one creates an index', async () => {
      await later.add('index', INDEX);
      const other = await openDatabase(copy.location);
      const pool = poolOf(1);
      const holder = await pool.connect();
      try {
        // The index waits for this transaction, so the second process surely waits for the first one.
        await holder.query('BEGIN; UPDATE workspace SET name = name');
        const both = Promise.all([migrate(database, later.root), migrate(other, later.root)]);
        await until(async () => (await building()) === 1);
        await holder.query('COMMIT');
        expect((await both).flat()).toEqual(['99990101000000_index']);
      } finally {
        holder.release(true);
        await Promise.all([pool.end(), other.close()]);
      }
    });

    const building = async () =>
      (await asOwner(`SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()`)).length;

    it('keep the lock while the server still runs the statement of a dead process', async () => {
      await later.add('index', INDEX);
      const pool = poolOf(1);
      const holder = await pool.connect();
      try {
        await holder.query('BEGIN; UPDATE workspace SET name = name');
        const died = database
          .asOwner(async (connection) => {
            await connection.query('SELECT pg_advisory_lock(7275539)');
            const created = connection.query(INDEX.split('\n').slice(2).join('\n')).catch((error: Error) => error);
            await until(async () => (await building()) === 1);
            // The connection of a killed process closes without a word.
            (connection as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
            throw await created;
          })
          .catch((error: Error) => error);
        expect(await died).toBeInstanceOf(Error);
        const applied = migrate(database, later.root);
        await holder.query('COMMIT');
        expect(await applied).toEqual(['99990101000000_index']);
        expect(await indexIsValid('workspace_name_later')).toBe(true);
      } finally {
        holder.release(true);
        await pool.end();
      }
    });
  });
});

describe.skipIf(!POSTGRES_URL)('migrations of an empty PostgreSQL database', () => {
  let url: string;
  let drop: () => Promise<void>;
  let database: Database;
  beforeAll(async () => {
    ({ url, drop } = await createEmptyPostgres());
    database = await openDatabase({ kind: 'postgresql', url });
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });

  it('are refused if it has tables of another program', async () => {
    await database.asOwner((connection) => connection.query('CREATE TABLE theirs (id INT)'));
    await expect(migrate(database, ROOT)).rejects.toThrow(ForeignDatabaseError);
    await database.asOwner((connection) => connection.query('DROP TABLE theirs'));
  });

  it('release their lock, so a newer version can migrate while this one runs', async () => {
    const observer = openPool(url, 1);
    try {
      expect((await migrate(database, ROOT)).length).toBeGreaterThan(1);
      const { rows } = await observer.query(
        `SELECT objid FROM pg_locks JOIN pg_database d ON d.oid = pg_locks.database
           WHERE locktype = 'advisory' AND d.datname = current_database()`,
      );
      expect(rows).toEqual([]);
      expect(await migrate(database, ROOT)).toEqual([]);
    } finally {
      await observer.end();
    }
  });
});
