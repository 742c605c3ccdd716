import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { openPool } from './database.ts';
import { freePorts } from './free-ports.ts';
import { unprivilegedAccount } from './scratch-server.ts';
import { until } from './until.ts';

/** Few, so that a transaction seldom gets the session of the one before. */
export const SERVER_CONNECTIONS = 4;

/** Debian puts it where only root looks. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** The program, or undefined if it is not installed. */
export const PGBOUNCER = FOLDERS.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));

/** PgBouncer in transaction mode in front of a server. */
export interface Pooler {
  /** The URL of a database of the server, through the pooler. */
  urlOf(database: string): string;
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts it on a free port. */
export async function startPgbouncer(server: string): Promise<Pooler> {
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'));
  const account = await unprivilegedAccount();
  const { hostname, port: serverPort, username } = new URL(server);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${serverPort || 5432} user=${username}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 400
server_round_robin = 1
query_wait_timeout = 5
server_connect_timeout = 2
`,
  );
  if (account) await chown(folder, account.uid, account.gid);
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(String(PGBOUNCER), [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...account });
    await until(async () => {
      const pool = openPool(urlOf(new URL(server).pathname.slice(1)), 1);
      const connected = pool.query('SELECT 1').then(
        () => true,
        () => false,
      );
      return connected.finally(() => pool.end());
    });
  };
  const kill = async () => {
    if (child) await end(child);
  };
  await start();
  return {
    urlOf,
    kill,
    start,
    async remove() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
