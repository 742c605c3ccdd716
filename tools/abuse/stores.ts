import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** The database and the folder of uploads of one measurement. */
export interface Store {
  readonly databaseUrl: string;
  readonly filesDir: string;
  /** The size of both in bytes. */
  size(): Promise<number>;
  remove(): Promise<void>;
}

/** Creates a store: an empty one, or a copy of the database of another one, which no process may use. */
export async function createStore(serverUrl: string, template?: Store): Promise<Store> {
  const name = `parley_abuse_${randomUUID().replaceAll('-', '')}`;
  const source = template ? ` TEMPLATE ${new URL(template.databaseUrl).pathname.slice(1)}` : '';
  await query(serverUrl, `CREATE DATABASE ${name}${source}`);
  const filesDir = await mkdtemp(join(tmpdir(), 'parley-abuse-'));
  const databaseUrl = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  return {
    databaseUrl,
    filesDir,
    async size() {
      const [row] = await query(serverUrl, `SELECT pg_database_size('${name}')::float8 AS bytes`);
      return Number(row?.bytes) + (await folderSize(filesDir));
    },
    async remove() {
      await query(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await rm(filesDir, { recursive: true, force: true });
    },
  };
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}

/** Files can disappear while they are counted. */
async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
