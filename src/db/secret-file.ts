import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirError, dataDirError } from './data-dir-error.ts';

/** The minimum length of a secret key, in characters. */
export const MIN_SECRET_LENGTH = 32;

/**
 * Returns the secret key that the embedded service generates and stores in its data directory. Processes that start at
 * the same time get the same key.
 * @throws {DataDirError} if the file is damaged, or cannot be read or created
 */
export function readOrCreateSecret(dataDir: string): string {
  if (dataDir === 'memory') return newSecret();
  const path = join(dataDir, 'secret.key');
  const secret = readOrCreateFile(dataDir, path);
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new DataDirError(
    `${path} is damaged: it has fewer than ${MIN_SECRET_LENGTH} characters. Restore it from a backup of DATA_DIR. ` +
      'Stored secrets cannot be decrypted without it.',
  );
}

function readOrCreateFile(dataDir: string, path: string): string {
  try {
    if (!existsSync(path)) createFile(dataDir, path);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw dataDirError(dataDir, error);
  }
}

/** Writes the file under a temporary name first, so other processes never read a partial key. */
function createFile(dataDir: string, path: string): void {
  const temporary = `${path}.${randomUUID()}`;
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(temporary, `${newSecret()}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    // Another process created the file first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
