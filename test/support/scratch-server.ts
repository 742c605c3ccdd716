import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { openPool } from './database.ts';
import { until } from './until.ts';

const run = promisify(execFile);

/** Debian's packages put the programs of the server here, and not on the PATH. */
const VERSIONS = '/usr/lib/postgresql';

/** The folder with `initdb` and `pg_ctl`, of the newest version. Undefined if no server is installed on this machine. */
export const SERVER_PROGRAMS = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(a) - Number(b)) : []).map((version) =>
    join(VERSIONS, version, 'bin'),
  ),
]
  .filter((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
  .at(-1);

/** A PostgreSQL server of its own: its transaction IDs begin at a low number. */
export interface ScratchServer {
  /** The URL of an empty database. */
  readonly url: string;
  /** Kills the server process with SIGKILL. Its child processes end when they notice it. */
  kill(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** Creates and starts a server in a temporary folder. It listens on a port of this machine. */
export function startScratchServer(port: number): Promise<ScratchServer> {
  return startServer(port, (run, data) =>
    run('initdb', '--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'),
  );
}

/** A standby of another server, which from then on commits only what the standby has. */
export async function startSynchronousStandby(primary: ScratchServer, port: number): Promise<ScratchServer> {
  const standby = await startServer(port, (run, data) =>
    run('pg_basebackup', '--dbname', primary.url, '--pgdata', data, '--write-recovery-conf', '--checkpoint', 'fast'),
  );
  const pool = openPool(primary.url, 1);
  await pool.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await pool.query('SELECT pg_reload_conf()');
  await until(async () => {
    const { rows } = await pool.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length > 0;
  });
  await pool.end();
  return standby;
}

type Run = (program: string, ...args: string[]) => Promise<unknown>;

async function startServer(port: number, fill: (run: Run, data: string) => Promise<unknown>): Promise<ScratchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-server-'));
  const account = await unprivilegedAccount();
  if (account) await chown(folder, account.uid, account.gid);
  const start: Run = (program, ...args) =>
    run(join(String(SERVER_PROGRAMS), program), args, { cwd: folder, ...account });
  const data = join(folder, 'data');
  const remove = async () => {
    await start('pg_ctl', '--pgdata', data, '--mode', 'immediate', 'stop').catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await fill(start, data);
    // The data is thrown away, so commits do not wait for the disk.
    // A standby that lost its primary looks for a promotion only every `wal_retrieve_retry_interval`: 5 s by default.
    const settings = `-p ${port} -h 127.0.0.1 -k '' -F -c shared_buffers=32MB -c wal_retrieve_retry_interval=100ms`;
    await start('pg_ctl', '--pgdata', data, '--log', join(folder, 'log'), '--options', settings, '--wait', 'start');
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    kill: async () => void process.kill(await postmasterOf(data), 'SIGKILL'),
    promote: async () => void (await start('pg_ctl', '--pgdata', data, '--wait', 'promote')),
    remove,
  };
}

/** The ID of the server process that uses a data directory. */
export async function postmasterOf(data: string): Promise<number> {
  return Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export async function unprivilegedAccount(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = await Promise.all(['-u', '-g'].map((option) => run('id', [option, 'postgres'])));
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
