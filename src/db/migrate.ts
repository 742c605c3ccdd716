import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import type { Database } from './database.ts';
import { schemaEngine } from './schema-engine.ts';

/** The key of the advisory lock that prevents parallel migrations. */
const MIGRATION_LOCK = 7_275_539;

/** Prisma manages all tables. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Applies the migrations in `root/prisma/migrations`, and returns the names of those that were missing. Several processes
 * can call it at the same time.
 */
export async function migrate(database: Database, root: string): Promise<string[]> {
  const migrations = await readMigrations(root);
  // Loading the engine takes most of the start-up time, so it is loaded only if a migration is missing.
  if (await isUpToDate(database, migrations)) return [];
  return withMigrationLock(database, async () => {
    // Another process may have applied them while this one waited for the lock.
    if (await isUpToDate(database, migrations)) return [];
    const schema = await readFile(join(root, 'prisma/schema.prisma'), 'utf8');
    return withSeparateConnections(database, async (adapter) => {
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
 * The engine takes a session lock and does not release it. On a pooled connection the lock would last as long as this
 * process, and would block the migrations of a newer version.
 */
async function withSeparateConnections<T>(database: Database, work: (adapter: PrismaPg) => Promise<T>): Promise<T> {
  if (database.embedded) return asConnectedUser(database.pool, () => work(new PrismaPg(database.pool)));
  // Without the session setup, because only the connected user can change the schema, not the role.
  const pool = new pg.Pool({ ...database.pool.options, max: 2, onConnect: undefined } as pg.PoolConfig);
  try {
    return await work(new PrismaPg(pool));
  } finally {
    await pool.end();
  }
}

/** Resets the role of the embedded connection while `work` runs, because the role cannot change the schema. */
async function asConnectedUser<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const { rows } = await pool.query<{ role: string }>(`SELECT current_setting('role') AS role`);
  await pool.query('RESET ROLE');
  try {
    return await work();
  } finally {
    await pool.query(`SELECT set_config('role', $1, false)`, [rows[0]?.role]);
  }
}

/** Reads the migration folders in order, in the format of the engine. */
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

/** Whether every migration of `root` is applied. A process must not serve requests before. */
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
  // An embedded database has one connection. The lock would hold it, and the migrations would wait without end.
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
