import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The baseline compiler needs less memory than the optimizing one, and is faster for code that runs once. */
const NODE_FLAGS = ['--liftoff-only', '--input-type=module', '--eval'];

const SCRIPT = `
  process.stdin.on('end', () => process.exit(1)).resume();
  const [, module, dataDir] = process.argv;
  const { PGlite } = await import(module);
  const database = await PGlite.create({ dataDir, initDbStartParams: ['-c', 'shared_buffers=4MB'] });
  await database.close();
  process.exit(0);
`;

/**
 * Creates the files of an empty database in `path`, which must not exist. A child process does it: initialization needs
 * 650 MB once, and V8 would keep part of that memory. Its input ends with this process, so that it ends too.
 */
export async function initializePglite(path: string): Promise<void> {
  const parent = `${path}.new`;
  // An interrupted start leaves a directory, and its child process can still be writing.
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
  await mkdir(parent, { recursive: true });
  // The name is random: a child process of an earlier start fails instead of writing to these files.
  const unfinished = await mkdtemp(join(parent, 'data-'));
  const module = import.meta.resolve('@electric-sql/pglite');
  const child = spawn(process.execPath, [...NODE_FLAGS, SCRIPT, module, unfinished]);
  const [errors, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit'), text(child.stdout)]);
  if (code !== 0) throw new Error(`The initialization ended with ${signal ?? code}: ${errors}`);
  await rename(unfinished, path);
  await rm(parent, { recursive: true, force: true });
}
