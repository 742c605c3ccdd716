import { type FileHandle, open, rm } from 'node:fs/promises';
import { CommandError } from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from './describe.ts';

/** Where the secrets go that the service shows once: keys, and signing secrets of webhooks. */
export interface SecretSink {
  keep(name: string, secret: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the sink before the first change, so that no secret is created that cannot be stored. Each secret is one line
 * of JSON, and on disk before the next step. Logs of a pipeline are kept, so without a terminal a file is required.
 * @throws {CommandError}
 */
export async function openSecrets(terminal: Terminal, path: string | undefined): Promise<SecretSink> {
  if (path !== undefined) return fileSink(path);
  if (terminal.stdin.isTTY !== true) {
    throw new CommandError(
      'The plan creates secrets that the service shows once: keys, or signing secrets of webhooks. Set --secrets-file to a new file.',
    );
  }
  return {
    async keep(name, secret) {
      terminal.stdout.write(`    Secret of ${printable(name)}, shown only once: ${secret}\n`);
    },
    close: async () => {},
  };
}

async function fileSink(path: string): Promise<SecretSink> {
  const file: FileHandle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'already exists. Choose a new file' : `cannot be written (${error.code})`;
    throw new CommandError(`--secrets-file ${path} ${reason}.`);
  });
  let isEmpty = true;
  return {
    async keep(name, secret) {
      await file.write(`${JSON.stringify({ name, secret })}\n`);
      await file.sync();
      isEmpty = false;
    },
    async close() {
      await file.close();
      if (isEmpty) await rm(path, { force: true });
    },
  };
}
