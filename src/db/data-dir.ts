import { randomBytes } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, realpath, rmdir, symlink, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DataDirError, dataDirError } from './data-dir-error.ts';

/** Socket paths are limited to about 100 bytes. The file names of the lock add at most 24. */
const MAX_DIRECTORY_BYTES = 70;

/** A lock file and its number. Releases without numbers used `parley.sock`. */
const LOCK = /^parley(?:\.(\d{1,9}))?\.sock$/;

/** Exclusive use of a directory, until `release`. */
export interface DataDirLock {
  release(): Promise<void>;
}

/**
 * Locks `directory` for this process, because two PGlite processes in one directory corrupt it.
 *
 * A lock is a listening socket. The operating system closes it when its process dies, even after `kill -9`. Locks have
 * numbers, and the process with the highest number owns the directory. A process takes the next number only if nobody
 * listens on the highest one. The file with the highest number is never removed. So only one process can get a number:
 * `link` fails if the name exists.
 * @throws {DataDirError} if another process owns the directory, or the file system does not allow the lock
 */
export async function lockDataDir(directory: string): Promise<DataDirLock> {
  try {
    await mkdir(directory, { recursive: true });
    const server = await atShortPath(await realpath(directory), (path) => takeLock(path, directory));
    return { release: () => new Promise((resolve) => server.close(() => resolve())) };
  } catch (error) {
    throw dataDirError(directory, error);
  }
}

async function takeLock(path: string, directory: string): Promise<Server> {
  // The socket listens before it gets the name of a lock. So a lock without a listener always belongs to a dead process.
  const socket = join(path, `parley-${randomBytes(6).toString('hex')}.new`);
  const server = await listen(socket);
  try {
    const number = await takeNumber(path, socket, directory);
    await removeLocksBelow(path, number);
    await unlink(socket);
    return server;
  } catch (error) {
    // This also removes the socket file.
    server.close();
    throw error;
  }
}

async function takeNumber(path: string, socket: string, directory: string): Promise<number> {
  for (;;) {
    const [highest] = await locksIn(path);
    if (highest && (await isListening(join(path, highest.name)))) throw inUse(directory);
    const number = (highest?.number ?? 0) + 1;
    const lock = join(path, `parley.${number}.sock`);
    if (!(await tryLink(socket, lock))) continue;
    // After a long pause of this process, the number may be outdated: a later owner has removed the file of that number.
    if ((await locksIn(path))[0]?.number === number) return number;
    await unlink(lock);
  }
}

/** The existing locks, the highest number first. */
async function locksIn(path: string): Promise<{ name: string; number: number }[]> {
  const names = await readdir(path);
  const locks = names.flatMap((name) => {
    const match = LOCK.exec(name);
    return match ? [{ name, number: Number(match[1] ?? 0) }] : [];
  });
  return locks.sort((one, other) => other.number - one.number);
}

/** Returns false if the new name exists. */
async function tryLink(path: string, newName: string): Promise<boolean> {
  try {
    await link(path, newName);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeLocksBelow(path: string, limit: number): Promise<void> {
  const outdated = (await locksIn(path)).filter(({ number }) => number < limit);
  // A process with an outdated number removes its own lock at the same time.
  await Promise.all(outdated.map(({ name }) => unlink(join(path, name)).catch(() => {})));
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // The connection queue of a paused process is full.
      else if (error.code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

/** Calls `work` with a path to `directory` that is short enough for socket names. */
async function atShortPath<T>(directory: string, work: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(directory) <= MAX_DIRECTORY_BYTES) return work(directory);
  const shortPath = join(await mkdtemp(join(tmpdir(), 'parley-')), 'data');
  await symlink(directory, shortPath);
  try {
    return await work(shortPath);
  } finally {
    await unlink(shortPath);
    await rmdir(dirname(shortPath));
  }
}

function inUse(directory: string): DataDirError {
  return new DataDirError(
    `${directory} is in use by another Parley process. Stop that process, set DATA_DIR to another directory, ` +
      'or set DATABASE_URL: many processes can share a PostgreSQL database.',
  );
}
