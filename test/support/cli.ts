import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { ROOT } from './database.ts';

/** The result of an operator command. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process. A process of its own takes twenty times as long. */
export async function runCommand(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<CliResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(args, { env, stdin: Readable.from([input]), stdout, stderr }, ROOT);
  stdout.end();
  stderr.end();
  const [output, errors] = await outputs;
  return { code, stdout: output, stderr: errors };
}

/** Runs a command of the bundle as a process. `program` replaces the command. */
export async function cli(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  { input = '', program }: { input?: string; program?: readonly [string, ...string[]] } = {},
): Promise<CliResult> {
  const [file, ...leadingArgs] = program ?? [process.execPath, join(ROOT, 'dist/cli.js')];
  const child = spawn(file, [...leadingArgs, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...(process.env.HOME && { HOME: process.env.HOME }), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that reads no input may exit before this write.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
