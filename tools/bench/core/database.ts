import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** A PostgreSQL database of a measurement's own. */
export interface BenchDatabase {
  readonly url: string;
  query(statement: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
}

const SERVER = process.env.BENCH_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';

const made = new Set<string>();

/** It is dropped at the end. */
export async function createDatabase(): Promise<BenchDatabase> {
  const name = `parley_bench_${randomUUID().replaceAll('-', '')}`;
  made.add(name);
  await ask(SERVER, `CREATE DATABASE ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (statement, values) => ask(url.href, statement, values),
  };
}

/** Drops every database that was made here. */
export async function dropAll(): Promise<void> {
  for (const name of made) await ask(SERVER, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  made.clear();
}

/** The version of the PostgreSQL server that is measured on. */
export async function postgresVersion(): Promise<string> {
  const { rows } = await ask(SERVER, 'SHOW server_version');
  return String(rows[0]?.server_version);
}

async function ask(url: string, statement: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(statement, [...values]).finally(() => client.end());
}
