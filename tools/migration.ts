import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { type Database, openDatabase } from '../src/db/database.ts';
import { readMigrations } from '../src/db/migrations.ts';
import { problemsOf } from './migration-rules.ts';
import { schemaEngine } from './schema-engine.ts';

/** Prisma manages all tables. */
const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** `npm run db:migration NAME`: writes the SQL that takes the migrations so far to `schema.prisma`. */
async function main(): Promise<void> {
  const name = process.argv[2];
  if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
    console.error('Name the migration in lower case: npm run db:migration add_audit_log');
    process.exitCode = 1;
    return;
  }
  const root = join(import.meta.dirname, '..');
  const schema = await readFile(join(root, 'prisma/schema.prisma'), 'utf8');
  const script = await diff(root, schema);
  if (!script.trim() || script.includes('This is an empty migration')) {
    console.log('The migrations already give what schema.prisma says.');
    return;
  }
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const directory = join(root, 'prisma/migrations', `${stamp}_${name}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'migration.sql'), script);
  console.log(`Wrote ${directory}/migration.sql. Read it, and add what Prisma cannot say.`);
  const written = (await readMigrations(root)).at(-1);
  for (const problem of written ? problemsOf(written) : []) console.log(`Change ${problem}`);
}

async function diff(root: string, schema: string): Promise<string> {
  const [main, shadow] = [await openDatabase({ kind: 'memory' }), await openDatabase({ kind: 'memory' })];
  // Only the connected user may change the schema.
  await Promise.all([main.pool.query('RESET ROLE'), shadow.pool.query('RESET ROLE')]);
  const adapter = catalogueReader(main);
  // The engine replays the migrations in a second, empty database.
  adapter.connectToShadowDb = catalogueReader(shadow).connect;
  const engine = await schemaEngine(schema, adapter);
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...(await migrationList(root)) },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: schema }] },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    });
    return stdout ?? '';
  } finally {
    engine.free();
    await Promise.all([main.close(), shadow.close()]);
  }
}

/** The migrations in the format of the engine. */
async function migrationList(root: string): Promise<MigrationList> {
  const migrations = await readMigrations(root);
  return {
    baseDir: join(root, 'prisma/migrations'),
    lockfile: { path: './migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: inOneTransaction(script) } },
    })),
  };
}

/** The engine sends each migration as one query, in which PostgreSQL refuses to work concurrently. The result is the same. */
function inOneTransaction(script: string): string {
  return script.replaceAll(/\b(CREATE (?:UNIQUE )?INDEX|DROP INDEX) CONCURRENTLY\b/g, '$1');
}

/**
 * The engine reads catalogue columns of PostgreSQL's one-byte `"char"` type, which adapter-pg does not know. Its
 * calls come one after another, so the columns of the last answer are those of the call that waits for it.
 */
function catalogueReader({ pool }: Database): PrismaPg {
  const { CHAR, TEXT } = pg.types.builtins;
  let charColumns: number[] = [];
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>;
  pool.query = (async (...args: unknown[]) => {
    const result = await query(...args);
    const fields = result.fields ?? [];
    charColumns = fields.flatMap((field, index) => (field.dataTypeID === CHAR ? [index] : []));
    for (const index of charColumns) Object.assign(fields[index] ?? {}, { dataTypeID: TEXT });
    return result;
  }) as never;

  const adapter = new PrismaPg(pool);
  const connect = adapter.connect.bind(adapter);
  adapter.connect = async () => {
    const connection = await connect();
    const queryRaw = connection.queryRaw.bind(connection);
    connection.queryRaw = async (statement) => {
      const result = await queryRaw(statement);
      for (const index of charColumns) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    };
    return connection;
  };
  return adapter;
}

await main();
