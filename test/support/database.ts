import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type DatabaseLocation, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { firstStart } from '../../src/domain/first-start.ts';

export const ROOT = join(import.meta.dirname, '../..');

export const CACHE = join(ROOT, 'node_modules/.cache/parley');

/** Runs the suite on this PostgreSQL server if set, otherwise on PGlite. */
export const POSTGRES_URL = process.env.TEST_DATABASE_URL;

/** A pooler in front of that server. If set, services of tests use it for their statements. */
const POOLER_URL = process.env.TEST_POOLER_URL;

/** A migrated database after its first start. Each test file gets a copy. */
interface Template {
  readonly name: string;
  readonly dump: string;
  readonly access: string;
}

export function template(): Template {
  // A checkout knows only the keys of its own first start, and one server may serve several checkouts.
  const hash = createHash('sha256').update(ROOT);
  const migrations = join(ROOT, 'prisma/migrations');
  for (const name of readdirSync(migrations).sort()) {
    if (name.endsWith('.toml')) continue;
    hash.update(readFileSync(join(migrations, name, 'migration.sql')));
  }
  hash.update(readFileSync(join(ROOT, 'src/domain/first-start.ts')));
  const name = `parley_template_${hash.digest('hex').slice(0, 16)}`;
  return {
    name,
    dump: join(CACHE, `${name}.tar`),
    access: join(CACHE, `${name}.${POSTGRES_URL ? 'pg' : 'lite'}.json`),
  };
}

/** Creates the template if it is missing. Runs once, before all tests. */
export async function prepareTemplate(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const { name, dump, access } = template();
  if (await exists(access, name, dump)) return;
  // Two runs may start at the same time. The second one waits, then finds the template of the first.
  const lock = POSTGRES_URL ? await lockServer() : undefined;
  try {
    if (!(await exists(access, name, dump))) await makeTemplate();
  } finally {
    await lock?.end();
  }
}

/** Holds a lock of the PostgreSQL server until the connection ends. */
async function lockServer(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  await client.query("SELECT pg_advisory_lock(hashtext('parley_template'))");
  return client;
}

async function makeTemplate(): Promise<void> {
  const { name, dump, access } = template();
  if (POSTGRES_URL) await administer(`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`);
  const database = await openDatabase(POSTGRES_URL ? postgres(name) : { kind: 'memory' });
  await migrate(database, ROOT);
  const email = 'owner@example.com';
  const options = { apiKey: undefined, email, password: undefined, hostedPages: true };
  const start = { ...(await firstStart(database, options)), email };
  const file = await database.dump?.();
  if (file) await writeFile(dump, Buffer.from(await file.arrayBuffer()));
  await database.close();
  await writeFile(access, JSON.stringify(start));
}

async function exists(access: string, name: string, dump: string): Promise<boolean> {
  const stored = await readFile(access, 'utf8').catch(() => undefined);
  if (!stored) return false;
  if (!POSTGRES_URL)
    return readFile(dump).then(
      () => true,
      () => false,
    );
  const [row] = await administer(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
  return row !== undefined;
}

/** The owner and the keys of a test's database. */
export interface FirstAccess {
  readonly email: string;
  readonly password: string;
  readonly keys: { readonly live: string; readonly test: string };
}

/** A database for one test file, with the access that its first start created. */
export interface TestDatabase {
  readonly location: DatabaseLocation;
  readonly access: FirstAccess;
  drop(): Promise<void>;
}

export async function createDatabase(): Promise<TestDatabase> {
  // Then the tests of the service run on a distributed database.
  if (POSTGRES_URL && POSTGRES_URL === process.env.TEST_CITUS_URL) {
    return (await import('./citus.ts')).createDistributedDatabase();
  }
  const { name, dump, access: path } = template();
  const access = JSON.parse(await readFile(path, 'utf8')) as FirstAccess;
  if (!POSTGRES_URL) {
    return {
      location: { kind: 'memory', dump: new Blob([await readFile(dump)]) },
      access: access,
      drop: async () => {},
    };
  }
  const copy = newName();
  await administer(`CREATE DATABASE ${copy} TEMPLATE ${name}`, withoutFlush(copy));
  return {
    location: postgres(copy),
    access: access,
    // Tests do not wait for it: PostgreSQL first writes everything that it has in memory to the disk.
    drop: async () => void dropDatabase(copy).catch(() => {}),
  };
}

/** An empty PostgreSQL database, for processes that run a first start. */
export async function createEmptyPostgres(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = newName();
  await administer(`CREATE DATABASE ${name}`, withoutFlush(name));
  return { url: postgres(name).url, drop: () => dropDatabase(name) };
}

/** The prefix of the databases of this run. Workers inherit the variable from the process that starts them. */
const prefix = () => `parley_test_${process.env.PARLEY_TEST_RUN ?? ''}_`;

const newName = () => `${prefix()}${randomUUID().replaceAll('-', '')}`;

const dropDatabase = (name: string) => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).then(() => {});

/** Names the databases of this run. Call it before the workers start. */
export function beginRun(): void {
  process.env.PARLEY_TEST_RUN ??= randomUUID().slice(0, 8);
}

/** Drops the databases that the workers of this run have left. */
export async function endRun(): Promise<void> {
  if (!POSTGRES_URL) return;
  const rows = await administer(`SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix()}')`);
  for (const { datname } of rows as { readonly datname: string }[]) await dropDatabase(datname);
}

/** Commits do not wait for the disk. Tests kill processes of the service, but never the server. */
function withoutFlush(name: string): string {
  return `ALTER DATABASE ${name} SET synchronous_commit = off`;
}

function postgres(name: string): Extract<DatabaseLocation, { kind: 'postgresql' }> {
  const url = new URL(POSTGRES_URL ?? '');
  url.pathname = `/${name}`;
  if (!POOLER_URL) return { kind: 'postgresql', url: url.href, poolSize: 8 };
  const pooled = new URL(POOLER_URL);
  pooled.pathname = url.pathname;
  return { kind: 'postgresql', url: pooled.href, sessionUrl: url.href, poolSize: 8 };
}

/** A connection pool of a test. A database may be dropped while the pool still has connections. */
export function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max }).on('error', () => {});
  // `end` does not wait until the connections are closed, and the database may be removed before.
  return pool.on('connect', (client) => client.on('error', () => {}));
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
