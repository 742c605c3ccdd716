import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileStorage } from '../domain/files/storage-port.ts';
import { directoryStorage } from './directory.ts';
import { s3Storage } from './s3.ts';
import type { S3Settings } from './s3-requests.ts';

type Location =
  | { readonly kind: 'directory'; readonly path: string; readonly minFreeBytes?: number | undefined }
  | { readonly kind: 'memory'; readonly minFreeBytes?: number | undefined }
  | ({ readonly kind: 's3' } & S3Settings);

/** Opens the storage of files. The first file creates its directory. `close` deletes a temporary one. */
export async function openStorage(
  location: Location,
): Promise<{ readonly storage: FileStorage; close(): Promise<void> }> {
  switch (location.kind) {
    case 's3':
      return { storage: s3Storage(location), close: async () => undefined };
    case 'directory':
      return { storage: directoryStorage(location.path, location.minFreeBytes), close: async () => undefined };
    case 'memory': {
      const path = await mkdtemp(join(tmpdir(), 'parley-files-'));
      return {
        storage: directoryStorage(path, location.minFreeBytes),
        close: () => rm(path, { recursive: true, force: true }),
      };
    }
  }
}
