import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

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
  remove(): Promise<void>;
}

/** Creates and starts a server in a temporary folder. It listens on a port of this machine. */
export async function startScratchServer(port: number): Promise<ScratchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-server-'));
  const account = await unprivilegedAccount();
  if (account) await chown(folder, account.uid, account.gid);
  const start = (program: string, ...args: string[]) =>
    run(join(String(SERVER_PROGRAMS), program), args, { cwd: folder, ...account });
  const data = join(folder, 'data');
  const stop = async () => {
    await start('pg_ctl', '--pgdata', data, '--mode', 'immediate', 'stop').catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start(
      'initdb',
      '--pgdata',
      data,
      '--username',
      'postgres',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--no-sync',
    );
    // The data is thrown away, so commits do not wait for the disk.
    const settings = `-p ${port} -h 127.0.0.1 -k '' -F -c shared_buffers=32MB`;
    await start('pg_ctl', '--pgdata', data, '--log', join(folder, 'log'), '--options', settings, '--wait', 'start');
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, remove: stop };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export async function unprivilegedAccount(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = await Promise.all(['-u', '-g'].map((option) => run('id', [option, 'postgres'])));
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
