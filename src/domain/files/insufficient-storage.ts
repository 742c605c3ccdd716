import { ServiceError } from '../../contract/errors.ts';
import type { SomeServices } from '../context.ts';
import { StorageFullError } from './storage-port.ts';

const MESSAGE = 'The file storage of this service is full. Try again later, or ask its operator for more space.';

/** Runs work that stores bytes. @throws {ServiceError} insufficient_storage */
export async function storing<T>({ process: { log } }: SomeServices<'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageFullError)) throw error;
    log.warn({ err: error }, 'uploads are refused: the file storage is full');
    throw new ServiceError('insufficient_storage', MESSAGE);
  }
}

/** Requires that a file of this size fits, and leaves the reserve free. @throws {ServiceError} insufficient_storage */
export function requireStorage(services: SomeServices<'log' | 'storage'>, sizeBytes: number): Promise<void> {
  return storing(services, async () => {
    const space = await services.stores.storage.space();
    if (space && space.freeBytes - sizeBytes < space.reservedBytes) throw new StorageFullError();
  });
}
