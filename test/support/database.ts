import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type DatabaseLocation, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type FirstStart, firstStart } from '../../src/domain/first-start.ts';

export const ROOT = join(import.meta.dirname, '../..');

const CACHE = join(ROOT, 'node_modules/.cache/parley');

/** Set where the suite is to run on a PostgreSQL server; else it runs on PGlite. */
export const POSTGRES_URL = process.env.TEST_DATABASE_URL;

/** A migrated database with its first start behind it, copied for each test file. */
interface Template {
  readonly name: string;
  readonly dump: string;
  readonly made: string;
}

function template(): Template {
  // A checkout knows only the keys of its own first start, and a server may serve several of them.
  const hash = createHash('sha256').update(ROOT);
  const migrations = join(ROOT, 'prisma/migrations');
  for (const name of readdirSync(migrations).sort()) {
    if (name.endsWith('.toml')) continue;
    hash.update(readFileSync(join(migrations, name, 'migration.sql')));
  }
  hash.update(readFileSync(join(ROOT, 'src/domain/first-start.ts')));
  const name = `parley_template_${hash.digest('hex').slice(0, 16)}`;
  return { name, dump: join(CACHE, `${name}.tar`), made: join(CACHE, `${name}.${POSTGRES_URL ? 'pg' : 'lite'}.json`) };
}

/** Makes the template where it is missing; run once, before all tests. */
export async function prepareTemplate(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const { name, dump, made } = template();
  if (await exists(made, name, dump)) return;
  if (POSTGRES_URL) await administer(`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`);
  const database = await openDatabase(POSTGRES_URL ? postgres(name) : { kind: 'memory' });
  await migrate(database, ROOT);
  const start = await firstStart(database.prisma, {
    apiKey: undefined,
    email: 'owner@example.com',
    password: undefined,
  });
  const file = await database.dump?.();
  if (file) await writeFile(dump, Buffer.from(await file.arrayBuffer()));
  await database.close();
  await writeFile(made, JSON.stringify(start));
}

async function exists(made: string, name: string, dump: string): Promise<boolean> {
  const known = await readFile(made, 'utf8').catch(() => undefined);
  if (!known) return false;
  if (!POSTGRES_URL)
    return readFile(dump).then(
      () => true,
      () => false,
    );
  const [row] = await administer(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
  return row !== undefined;
}

/** A database of a test's own, and what its first start made. */
export interface TestDatabase {
  readonly location: DatabaseLocation;
  readonly made: FirstStart;
  drop(): Promise<void>;
}

export async function createDatabase(): Promise<TestDatabase> {
  const { name, dump, made: path } = template();
  const made = JSON.parse(await readFile(path, 'utf8')) as FirstStart;
  if (!POSTGRES_URL) {
    return { location: { kind: 'memory', dump: new Blob([await readFile(dump)]) }, made, drop: async () => {} };
  }
  const copy = `parley_test_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
  return {
    location: postgres(copy),
    made,
    drop: async () => {
      await administer(`DROP DATABASE ${copy} WITH (FORCE)`);
    },
  };
}

/** An empty PostgreSQL database, for processes that start from nothing. */
export async function createEmptyPostgres(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `parley_test_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${name}`);
  return {
    url: postgres(name).url,
    drop: async () => {
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

function postgres(name: string): Extract<DatabaseLocation, { kind: 'postgresql' }> {
  const url = new URL(POSTGRES_URL ?? '');
  url.pathname = `/${name}`;
  return { kind: 'postgresql', url: url.href, poolSize: 8 };
}

/** A pool of a test's own. It ends before its connections do, and a database may be dropped under them meanwhile. */
export function openPool(url: string, max: number): pg.Pool {
  return new pg.Pool({ connectionString: url, max }).on('error', () => {});
}

async function administer(...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
