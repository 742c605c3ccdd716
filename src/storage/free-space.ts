import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StorageSpace } from '../domain/files/storage-port.ts';

const GIB = 1024 ** 3;

/** No space, a quota of the file system, a limit of the process for the size of a file. */
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether the error of a write says that nothing more fits. */
export function isFull(error: unknown): boolean {
  return FULL_CODES.has(String((error as NodeJS.ErrnoException).code));
}

/** Reads the space of the file system that holds the directory. The directory may not exist yet. */
export async function freeSpaceOf(directory: string, minFreeBytes: number | undefined): Promise<StorageSpace> {
  const { bavail, bsize, blocks } = await statOf(directory);
  const totalBytes = blocks * bsize;
  return { freeBytes: bavail * bsize, totalBytes, reservedBytes: minFreeBytes ?? defaultReserve(totalBytes) };
}

/** The greater of 1 GiB and 5 % of the file system, but at most 10 % of a small one. */
export function defaultReserve(totalBytes: number): number {
  return Math.floor(Math.min(Math.max(GIB, totalBytes * 0.05), totalBytes * 0.1));
}

async function statOf(directory: string): Promise<StatsFs> {
  try {
    return await statfs(directory);
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    return statOf(parent);
  }
}
