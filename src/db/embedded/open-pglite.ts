import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import { DataDirError, dataDirError } from '../data-dir-error.ts';
import { initializePglite } from './initialize-pglite.ts';

/** PostgreSQL's default is 128 MB. The operating system caches the same files, so more than this gains nothing. */
const SHARED_BUFFERS = 'shared_buffers=32MB';

/** Opens the database of a data directory that this process has locked. @throws {DataDirError} if it is damaged */
export async function openDirectory(directory: string): Promise<PGlite> {
  const path = join(directory, 'pglite');
  try {
    await prepare(path);
  } catch (error) {
    throw dataDirError(directory, error);
  }
  return create({ dataDir: path }).catch((cause: unknown) => {
    throw damaged(path, 'PostgreSQL cannot open it', cause);
  });
}

/** Opens an in-memory database, filled from `dump`. */
export async function openMemory(dump: Blob | undefined): Promise<PGlite> {
  return create(dump ? { loadDataDir: dump } : {});
}

async function create(options: PGliteOptions): Promise<PGlite> {
  // Imported late: a service on a PostgreSQL server does not need it.
  const { PGlite } = await import('@electric-sql/pglite');
  return PGlite.create({ ...options, startParams: [...PGlite.defaultStartParams, '-c', SHARED_BUFFERS] });
}

/**
 * PGlite initializes any directory without `PG_VERSION`, which would destroy other files in it. So only a missing or
 * empty directory is initialized. It gets its name last, so that an interrupted start leaves no half database.
 */
async function prepare(path: string): Promise<void> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.includes('PG_VERSION')) return;
  if (entries.length > 0) throw damaged(path, 'the file PG_VERSION is missing');
  await initializePglite(path).catch((cause: unknown) => {
    throw new DataDirError(
      `Cannot create a database in ${path}. Check that the disk has free space, and start again.`,
      {
        cause,
      },
    );
  });
}

function damaged(path: string, reason: string, cause?: unknown): DataDirError {
  const advice = 'Restore a backup of DATA_DIR, or set DATA_DIR to an empty directory.';
  return new DataDirError(`The database in ${path} is damaged: ${reason}. ${advice}`, { cause });
}
