import { setTimeout as pause } from 'node:timers/promises';
import { applyMigration } from './apply-migration.ts';
import type { OwnerConnection } from './as-owner.ts';
import type { Database } from './database.ts';
import { continueLog, logBelongsToServer } from './log-positions.ts';
import { type Migration, readMigrations } from './migrations.ts';

/** The key of the advisory lock that prevents parallel migrations. */
const MIGRATION_LOCK = 7_275_539;

const LOCK_POLL_MS = 100;

/** The table of `prisma migrate deploy`. */
const CREATE_RECORDS = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/** The database has tables that Parley did not create. */
export class ForeignDatabaseError extends Error {
  constructor(table: string) {
    super(`DATABASE_URL names a database of another program: it has the table ${table}. Use an empty database.`);
    this.name = 'ForeignDatabaseError';
  }
}

/**
 * Applies the migrations in `root/prisma/migrations`, and returns the names of those that were missing. Then it continues
 * the event log if the database comes from another server. Several processes can call it at the same time.
 */
export async function migrate(database: Database, root: string): Promise<string[]> {
  const applied = await applyMigrations(database, root);
  await continueLogOnServer(database);
  return applied;
}

/** Prepares a restored database for changes. It must be migrated. */
export async function continueLogOnServer(database: Database): Promise<void> {
  if (await logBelongsToServer(database.pool)) return;
  await database.asOwner((connection) => continueLog(connection));
}

/** Whether every migration of `root` is applied. A process must not serve requests before. */
export async function isMigrated(database: Database, root: string): Promise<boolean> {
  return (await missingOf(database.pool, await readMigrations(root))).length === 0;
}

async function applyMigrations(database: Database, root: string): Promise<string[]> {
  const migrations = await readMigrations(root);
  if ((await missingOf(database.pool, migrations)).length === 0) return [];
  return database.asOwner(async (connection) => {
    await lock(connection);
    try {
      await prepareRecords(connection);
      // Another process may have applied them while this one waited for the lock.
      const missing = await missingOf(connection, migrations);
      for (const migration of missing) await applyMigration(connection, migration);
      return missing.map(({ name }) => name);
    } finally {
      await connection.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    }
  });
}

/**
 * Polls, because a statement that waits has a snapshot, and CREATE INDEX CONCURRENTLY waits for every older snapshot: it
 * would wait for a process that waits for it. The lock belongs to the connection that migrates. If the process dies, the
 * server keeps it until the running statement has ended.
 */
async function lock(connection: OwnerConnection): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.locked) return;
    await pause(LOCK_POLL_MS);
  }
}

async function prepareRecords(connection: OwnerConnection): Promise<void> {
  if (await hasRecords(connection)) return;
  const { rows } = await connection.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace LIMIT 1`,
  );
  if (rows[0]) throw new ForeignDatabaseError(rows[0].name);
  await connection.query(CREATE_RECORDS);
}

async function missingOf(
  database: Pick<OwnerConnection, 'query'>,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  if (!(await hasRecords(database))) return [...migrations];
  const applied = await database.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const names = new Set(applied.rows.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !names.has(name));
}

async function hasRecords(database: Pick<OwnerConnection, 'query'>): Promise<boolean> {
  const { rows } = await database.query<{ present: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  return rows[0]?.present === true;
}
