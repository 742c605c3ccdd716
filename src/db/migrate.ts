import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import type { Database } from './database.ts';
import { schemaEngine } from './schema-engine.ts';

/** Key of the advisory lock that keeps processes which start together from migrating together. */
const MIGRATION_LOCK = 7_275_539;

/** Tables that are not Prisma's to change. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Brings the schema up to date with `root/prisma/migrations`; safe when several processes start at once.
 * Answers the names of the migrations that it applied.
 */
export async function migrate(database: Database, root: string): Promise<string[]> {
  const migrations = await readMigrations(root);
  // Loading the engine costs most of a start; where every migration is recorded it is not needed.
  if (await isUpToDate(database, migrations)) return [];
  return withMigrationLock(database, async () => {
    // Another process may have done it while this one waited.
    if (await isUpToDate(database, migrations)) return [];
    const schema = await readFile(join(root, 'prisma/schema.prisma'), 'utf8');
    return withConnectionsOfItsOwn(database, async (adapter) => {
      const engine = await schemaEngine(schema, adapter);
      try {
        const { appliedMigrationNames } = await engine.applyMigrations({
          migrationsList: migrations,
          filters: NO_FILTERS,
        });
        return appliedMigrationNames;
      } finally {
        engine.free();
      }
    });
  });
}

/**
 * The engine takes a lock of the session and leaves it there. On a connection of the service it would stay for as long
 * as this process lives, and keep a newer version from migrating beside it.
 */
async function withConnectionsOfItsOwn<T>(database: Database, work: (adapter: PrismaPg) => Promise<T>): Promise<T> {
  if (database.embedded) return work(database.adapter);
  const pool = new pg.Pool({ ...database.pool.options, max: 2 });
  try {
    return await work(new PrismaPg(pool));
  } finally {
    await pool.end();
  }
}

/** The migration folders in order, as the engine wants them. */
export async function readMigrations(root: string): Promise<MigrationList> {
  const baseDir = join(root, 'prisma/migrations');
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  return {
    baseDir,
    lockfile: { path: './migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(join(baseDir, name, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  };
}

/** Whether every migration of `root` is applied: what a process that serves requests relies on. */
export async function isMigrated(database: Database, root: string): Promise<boolean> {
  return isUpToDate(database, await readMigrations(root));
}

async function isUpToDate(database: Database, migrations: MigrationList): Promise<boolean> {
  const { rows } = await database.pool.query<{ present: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  if (!rows[0]?.present) return false;
  const applied = await database.pool.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const names = new Set(applied.rows.map((row) => row.migration_name));
  return migrations.migrationDirectories.every(({ path }) => names.has(path));
}

async function withMigrationLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  // The embedded database has one connection and one process: waiting for a second one would never end.
  if (database.embedded) return work();
  const connection = await database.pool.connect();
  try {
    await connection.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work();
  } finally {
    await connection.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    connection.release();
  }
}
