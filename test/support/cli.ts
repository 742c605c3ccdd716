import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './database.ts';

/** What a command of the operator came to. */
export interface CliAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command as a process, from the bundle; `program` is what to run in its place. */
export async function cli(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  { input = '', program }: { input?: string; program?: readonly [string, ...string[]] } = {},
): Promise<CliAnswer> {
  const [file, ...before] = program ?? [process.execPath, join(ROOT, 'dist/cli.js')];
  const child = spawn(file, [...before, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...(process.env.HOME && { HOME: process.env.HOME }), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that reads nothing may be gone before this is written.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
