import { setTimeout as pause } from 'node:timers/promises';
import type { OwnerConnection } from './as-owner.ts';
import { type Migration, statementsOf } from './migrations.ts';
import { createPartitionedIndex } from './partitions/create-index.ts';

/**
 * How long the tries of a migration wait for a lock, in turn. Requests on the table wait for that time too, so it is short.
 * Every fourth try waits longer than `deadlock_timeout` (1 s): only then does PostgreSQL cancel an autovacuum for it.
 */
const LOCK_TIMEOUTS_MS = [300, 300, 300, 1_500] as const;

/** The pause between two tries grows up to this. Meanwhile the requests that waited are served. */
const MAX_PAUSE_MS = 2_000;

/** After this time the start fails. A supervisor starts the process again. */
const RETRY_FOR_MS = 120_000;

/** lock_not_available, deadlock_detected */
const RETRYABLE = new Set(['55P03', '40P01']);

/** The name of the index that a statement creates, as PostgreSQL's parser reads it. */
const CREATED_INDEX = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+("[^"]+"|\w+)/i;

/** A migration could not lock a table for two minutes. */
export class MigrationLockError extends Error {
  constructor(name: string, cause: unknown) {
    super(
      `The migration ${name} could not lock a table for ${RETRY_FOR_MS / 1_000} s. Nothing was changed. End the long ` +
        'transactions in pg_stat_activity, and start again.',
      { cause },
    );
    this.name = 'MigrationLockError';
  }
}

/**
 * Applies a migration and records it. A script is one transaction with its record, unless its first line says otherwise.
 * @throws {MigrationLockError} if a lock is not available for a long time
 */
export async function applyMigration(
  connection: OwnerConnection,
  migration: Migration,
  retryForMs = RETRY_FOR_MS,
): Promise<void> {
  const endsAt = performance.now() + retryForMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await applyOnce(connection, migration, LOCK_TIMEOUTS_MS[tries % LOCK_TIMEOUTS_MS.length] ?? 0);
    } catch (error) {
      if (!RETRYABLE.has((error as { readonly code?: string }).code ?? '')) throw error;
      if (performance.now() > endsAt) throw new MigrationLockError(migration.name, error);
      await pause(Math.min(MAX_PAUSE_MS, 100 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  }
}

function applyOnce(connection: OwnerConnection, migration: Migration, lockTimeoutMs: number): Promise<void> {
  if (!migration.isOutsideTransaction) return inTransaction(connection, migration, migration.script, lockTimeoutMs);
  // No other connection uses an embedded database, so a lock blocks nobody. One transaction leaves no invalid index.
  if (connection.embedded)
    return inTransaction(connection, migration, migration.script.replaceAll(/\bCONCURRENTLY\s/gi, ''), lockTimeoutMs);
  return oneByOne(connection, migration);
}

async function inTransaction(
  connection: OwnerConnection,
  migration: Migration,
  script: string,
  lockTimeoutMs: number,
): Promise<void> {
  await connection.query('BEGIN');
  try {
    await connection.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await connection.query(script);
    await record(connection, migration);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  }
}

/**
 * The statements wait for other transactions without blocking them, so they have no lock timeout. They can run again after
 * an interruption: an index that exists and is valid is kept.
 */
async function oneByOne(connection: OwnerConnection, migration: Migration): Promise<void> {
  const run = async (statement: string) => {
    const index = CREATED_INDEX.exec(statement)?.[1];
    if (index !== undefined) await dropInvalid(connection, index);
    await connection.query(statement);
  };
  for (const statement of statementsOf(migration.script)) {
    if (!(await createPartitionedIndex(connection, statement, run))) await run(statement);
  }
  await record(connection, migration);
}

/** Drops an index whose creation was interrupted. Queries do not use it, but writes maintain it. */
async function dropInvalid(connection: OwnerConnection, index: string): Promise<void> {
  const { rows } = await connection.query<{ invalid: boolean }>(
    'SELECT true AS invalid FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [index],
  );
  if (rows.length > 0) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
}

/** Earlier releases left a record without an end if their process died. Their scripts were one transaction, too. */
async function record(connection: OwnerConnection, { name, checksum }: Migration): Promise<void> {
  await connection.query(
    `WITH unfinished AS (
       UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL
     )
     INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid()::text, $2, $1, now(), clock_timestamp(), 1)`,
    [name, checksum],
  );
}
