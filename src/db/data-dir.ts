import { hash, randomUUID } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest socket path that every Unix takes. */
const MAX_SOCKET_PATH = 100;

/** A directory that this process alone may use until it is released. */
export interface DataDirLock {
  release(): Promise<void>;
}

export class DataDirInUse extends Error {
  constructor(directory: string) {
    super(
      `${directory} is in use by another Parley process. Stop that one, give this one another DATA_DIR, ` +
        'or set DATABASE_URL: many processes can share a PostgreSQL database.',
    );
    this.name = 'DataDirInUse';
  }
}

/**
 * Holds `directory` for this process. Two PGlite processes on one directory corrupt it. The lock is a listening
 * socket, because the system drops it at the very death of its holder, `kill -9` included.
 */
export async function lockDataDir(directory: string): Promise<DataDirLock> {
  await mkdir(directory, { recursive: true });
  const path = socketPath(await realpath(directory));
  if ((await ask(path)) !== undefined) throw new DataDirInUse(directory);
  await rm(path, { force: true });

  const holder = randomUUID();
  const server = createServer((socket) => socket.on('error', () => {}).end(holder));
  await listen(server, path, directory);
  // A second starter may have found the same dead socket: whoever answers on the path now is the holder.
  if ((await ask(path)) !== holder) {
    server.close();
    throw new DataDirInUse(directory);
  }
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function socketPath(directory: string): string {
  const path = join(directory, 'parley.sock');
  if (path.length <= MAX_SOCKET_PATH) return path;
  return join(tmpdir(), `parley-${hash('sha256', directory, 'hex').slice(0, 32)}.sock`);
}

/** What the process listening on `path` says, or undefined where none listens. */
function ask(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    connect(path)
      .on('data', (bytes) => {
        answer += bytes.toString();
      })
      .on('end', () => resolve(answer))
      .on('error', () => resolve(undefined));
  });
}

function listen(server: Server, path: string, directory: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new DataDirInUse(directory) : error),
    );
    server.listen(path, resolve);
  });
}
