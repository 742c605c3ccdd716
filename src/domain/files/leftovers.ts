import { Prisma } from '../../db/generated/client.ts';
import type { SomeServices } from '../context.ts';
import { type FileRow, storagePrefix } from './file.ts';

type LeftoverServices = SomeServices<'sql' | 'storage' | 'log'>;

/**
 * Deletes keys of a file at once whose removal is already announced. If this fails, or the process dies, the sweeper deletes
 * them.
 */
export async function removeKeys(services: LeftoverServices, row: FileRow, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await removing(services, row, async () => {
    await services.stores.storage.removeKeys(keys);
    await services.stores.sql.execute`DELETE FROM file_removal WHERE ${areKeysOf(row, keys)}`;
  });
}

/**
 * Deletes everything of a file at once, or everything except one key. Its removal is already announced. An announcement of
 * the whole file stays, because a request may still write.
 */
export async function removeBytes(services: LeftoverServices, row: FileRow, keep?: string): Promise<void> {
  await removing(services, row, async () => {
    await services.stores.storage.remove(storagePrefix(row), keep);
    const keys = row.parts.map((part) => `${storagePrefix(row)}/${part}`);
    await services.stores.sql.execute`DELETE FROM file_removal WHERE ${areKeysOf(row, keys)}`;
  });
}

/** The condition that a row announces the removal of one of these keys. */
export function areKeysOf({ environmentId }: FileRow, keys: readonly string[]): Prisma.Sql {
  return Prisma.sql`prefix = ANY (${[...keys]}::text[]) AND environment_id = ${environmentId}::uuid`;
}

async function removing(
  { process: { log } }: LeftoverServices,
  row: FileRow,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ err: error, file_id: row.id }, 'parts of an upload could not be deleted');
  }
}
