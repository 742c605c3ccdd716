import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVER_PROGRAMS } from '../../test/support/scratch-server.ts';

/** The programs of a highly available server, and Debian's packages that have them. */
const PACKAGES = { etcd: 'etcd-server', haproxy: 'haproxy', patroni: 'patroni python3-etcd' };

/** Debian does not have `/usr/sbin` on the PATH of every user. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** How long a program has to stop before it is killed. */
const STOP_MS = 10_000;

function find(program: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** Debian's packages whose programs are missing on this machine. */
export function missingPackages(): string[] {
  const missing = Object.entries(PACKAGES).flatMap(([program, packages]) => (find(program) ? [] : [packages]));
  return SERVER_PROGRAMS ? missing : ['postgresql', ...missing];
}

/** A program of the drill. */
export interface Program {
  readonly pid: number;
  /** The last lines that it printed. */
  readonly output: readonly string[];
  /** Whether it has ended. */
  readonly isOver: boolean;
  stop(): Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

const KEPT_LINES = 40;

/** Starts a program. Its output is kept for the message of a failure. */
export function startProgram(
  name: keyof typeof PACKAGES,
  args: readonly string[],
  folder: string,
  account?: Account,
): Program {
  const child = spawn(find(name) ?? name, [...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...account });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.push(...text.trimEnd().split('\n'));
      output.splice(0, output.length - KEPT_LINES);
    });
  }
  child.once('error', (error) => output.push(String(error)));
  const isOver = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  return {
    pid: child.pid ?? 0,
    output,
    get isOver() {
      return isOver();
    },
    stop: async () => {
      if (!isOver()) await stop(child);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const abort = new AbortController();
  const overdue = pause(STOP_MS, true, { signal: abort.signal }).catch(() => false);
  if (await Promise.race([exit.then(() => false), overdue])) child.kill('SIGKILL');
  abort.abort();
  await exit;
}
