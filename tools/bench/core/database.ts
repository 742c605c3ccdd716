import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** A PostgreSQL database for one measurement. */
export interface BenchDatabase {
  readonly url: string;
  query(statement: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
}

const SERVER = process.env.BENCH_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';

const created = new Set<string>();

/** Creates a database that is dropped at the end. */
export async function createDatabase(): Promise<BenchDatabase> {
  const name = `parley_bench_${randomUUID().replaceAll('-', '')}`;
  created.add(name);
  await send(SERVER, `CREATE DATABASE ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (statement, values) => send(url.href, statement, values),
  };
}

/** Drops every database created here. */
export async function dropAll(): Promise<void> {
  for (const name of created) await send(SERVER, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  created.clear();
}

/** The version of the measured PostgreSQL server, and the settings that decide what a commit waits for and writes. */
export async function describePostgres(): Promise<string> {
  const { rows } = await send(
    SERVER,
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('server_version', 'fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name = 'server_version' DESC, name`,
  );
  return rows.map(({ name, setting }) => (name === 'server_version' ? setting : `${name} ${setting}`)).join(', ');
}

async function send(url: string, statement: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(statement, [...values]).finally(() => client.end());
}
