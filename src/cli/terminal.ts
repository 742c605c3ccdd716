import type { Readable, Writable } from 'node:stream';

/** What a command reads from and writes to: the environment and streams of its process. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
}
