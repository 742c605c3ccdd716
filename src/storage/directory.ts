import { constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, readdir, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type FileStorage, MissingBytesError, StorageFullError } from '../domain/files/storage-port.ts';
import { freeSpaceOf, isFull } from './free-space.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** A name is an ID or random. It is never the name of a file that a client sent. */
const NAME = /^[0-9a-z][0-9a-z_-]{0,63}$/;

/** Names of a key: environment, file and part. */
const KEY_NAMES = 3;

/** Only the user of the service can read the files. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** A write checks the free space before it starts, and again after so many bytes. */
const CHECKED_BYTES = 8 * 1024 * 1024;

/**
 * Keeps files in a directory: `ENVIRONMENT/FILE/NAME`. Several processes can share it. Symbolic links below it are not
 * followed. Uploads leave `minFreeBytes` of the file system free. Undefined: see {@link freeSpaceOf}.
 */
export function directoryStorage(directory: string, minFreeBytes?: number): FileStorage {
  const root = resolve(directory);
  const pathOf = (key: string) => join(root, ...namesOf(key));

  async function create(key: string): Promise<FileHandle> {
    const path = pathOf(key);
    await makeDirectory(root, namesOf(key).slice(0, -1));
    return open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, FILE_MODE);
  }

  async function openForRead(key: string): Promise<FileHandle> {
    await requireDirectories(root, namesOf(key).slice(0, -1));
    return open(pathOf(key), O_RDONLY | O_NOFOLLOW);
  }

  const space = () => freeSpaceOf(root, minFreeBytes);

  async function requireSpace(): Promise<void> {
    const { freeBytes, reservedBytes } = await space();
    if (freeBytes < reservedBytes) throw new StorageFullError();
  }

  async function writeTo(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    let size = 0;
    let checkedAt = 0;
    for await (const chunk of bytes) {
      if (size - checkedAt >= CHECKED_BYTES) {
        await requireSpace();
        checkedAt = size;
      }
      // A write to a disk that is almost full can be incomplete.
      for (let at = 0; at < chunk.byteLength; ) {
        const { bytesWritten } = await file.write(chunk, at);
        at += bytesWritten;
      }
      size += chunk.byteLength;
    }
    // The database says that the bytes exist, so they must survive a power failure.
    await file.sync();
    return size;
  }

  async function write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    await requireSpace();
    try {
      const file = await create(key);
      try {
        return await writeTo(file, bytes);
      } catch (error) {
        await unlink(pathOf(key));
        throw error;
      } finally {
        await file.close();
      }
    } catch (error) {
      throw isFull(error) ? new StorageFullError({ cause: error }) : error;
    }
  }

  async function* allOf(parts: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield* await read(part);
  }

  async function read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    try {
      return createReadStream('', { fd: await openForRead(key), ...range });
    } catch (error) {
      throw isMissing(error) ? new MissingBytesError({ cause: error }) : error;
    }
  }

  return {
    signUpload: undefined,
    uploadOrigin: undefined,
    space,
    write,
    read,
    async sizeOf(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async join(parts, key) {
      const [only] = parts;
      if (parts.length === 1 && only !== undefined) return only;
      await write(key, allOf(parts));
      return key;
    },
    list: () => keysIn(root, []),
    async remove(prefix, keep) {
      const path = pathOf(prefix);
      if (keep === undefined) return rm(path, { recursive: true, force: true });
      const kept = namesOf(keep).at(-1);
      const names = await readdir(path);
      for (const name of names) if (name !== kept) await rm(join(path, name), { force: true });
    },
    async removeKeys(keys) {
      for (const key of keys) {
        if (await hasDirectories(root, namesOf(key).slice(0, -1))) await rm(pathOf(key), { force: true });
      }
    },
  };
}

function namesOf(key: string): string[] {
  const names = key.split('/');
  if (names.length > KEY_NAMES || !names.every((name) => NAME.test(name))) throw new Error('this is not a storage key');
  return names;
}

/** Folders can have any number of entries, so they are read in steps. Entries that this service never writes are skipped. */
async function* keysIn(root: string, names: readonly string[]): AsyncGenerator<string, undefined> {
  const isKey = names.length === KEY_NAMES - 1;
  try {
    for await (const entry of await opendir(join(root, ...names))) {
      if (!NAME.test(entry.name)) continue;
      const found = [...names, entry.name];
      if (isKey && entry.isFile()) yield found.join('/');
      else if (!isKey && entry.isDirectory()) yield* keysIn(root, found);
    }
  } catch (error) {
    // The folder was deleted meanwhile, or no file was stored yet.
    if (!isMissing(error)) throw error;
  }
}

async function makeDirectory(root: string, names: readonly string[]): Promise<void> {
  await mkdir(join(root, ...names), { recursive: true, mode: DIRECTORY_MODE });
  await requireDirectories(root, names);
}

/** Each folder below the root must be a folder and not a link to one. */
async function requireDirectories(root: string, names: readonly string[]): Promise<void> {
  for (let path = join(root, ...names); path !== root; path = dirname(path)) {
    if (!(await lstat(path)).isDirectory()) throw new Error('a folder of the file storage is not a folder');
  }
}

async function hasDirectories(root: string, names: readonly string[]): Promise<boolean> {
  try {
    await requireDirectories(root, names);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
