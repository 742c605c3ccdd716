import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { distribute } from '../../src/db/distribute/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { firstStart } from '../../src/domain/first-start.ts';
import type { TestDatabase } from './database.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A coordinator of Citus whose workers and database `postgres` are set up. Undefined: tests that need it are skipped. */
export const CITUS_URL = process.env.TEST_CITUS_URL;

/** Fewer shards than usual: each is a table, and the database is created for one test file. */
const SHARDS = 4;

/** An empty database on the coordinator and its workers. */
export interface CitusDatabase {
  readonly url: string;
  /** The workers, as URLs of the same database. */
  readonly workers: readonly string[];
  drop(): Promise<void>;
}

/** Creates a database with Citus on all servers. `workerCount` limits the workers that it uses. */
export async function createCitusDatabase(workerCount?: number): Promise<CitusDatabase> {
  const coordinator = new URL(CITUS_URL ?? '');
  const nodes = await run<{ readonly host: string; readonly port: number }>(
    coordinator.href,
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeport`,
  );
  // Citus fails if two databases add their nodes at the same time.
  const lock = new pg.Client({ connectionString: coordinator.href });
  await lock.connect();
  await lock.query("SELECT pg_advisory_lock(hashtext('parley_citus'))");
  const name = `parley_citus_${randomUUID().replaceAll('-', '')}`;
  const urls = [coordinator, ...nodes.slice(0, workerCount).map((node) => Object.assign(new URL(coordinator), node))];
  const url = (server: URL) => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const workers = urls.slice(1);
  try {
    for (const server of urls) {
      // Citus would create it on all servers, but without its extension.
      await run(server.href, 'SET citus.enable_create_database_propagation = off', `CREATE DATABASE ${name}`);
      await run(url(server), 'CREATE EXTENSION citus');
    }
    await run(
      url(coordinator),
      `SELECT citus_set_coordinator_host('${coordinator.hostname}', ${coordinator.port})`,
      ...workers.map(({ hostname, port }) => `SELECT citus_add_node('${hostname}', ${port})`),
    );
  } finally {
    await lock.end();
  }
  return {
    url: url(coordinator),
    workers: workers.map(url),
    async drop() {
      for (const server of urls) {
        await run(
          server.href,
          'SET citus.enable_create_database_propagation = off',
          `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
        );
      }
    },
  };
}

/** A distributed database after its first start. */
export async function createDistributedDatabase(): Promise<TestDatabase> {
  const database = await createCitusDatabase();
  const location = { kind: 'postgresql', url: database.url, poolSize: 2 } as const;
  const plain = await openDatabase(location);
  await migrate(plain, ROOT);
  await distribute(plain, SHARDS);
  await plain.close();
  return startFirst(database);
}

/** Runs the first start of a distributed database. */
export async function startFirst({ url, drop }: CitusDatabase): Promise<TestDatabase> {
  const location = { kind: 'postgresql', url, poolSize: 8 } as const;
  const database = await openDatabase(location);
  const email = 'owner@example.com';
  const access = await firstStart(database, { apiKey: undefined, email, password: undefined, hostedPages: true });
  await database.close();
  return { location, access: { ...access, email } as TestDatabase['access'], drop };
}

/** Runs statements one by one, and returns the rows of the last one. */
export async function run<Row extends object>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
