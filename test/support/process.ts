import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, clientOf } from './client.ts';
import { ROOT } from './database.ts';

/** The service as a separate process, started from the bundle. Tests stop it with real signals. */
export interface ServiceProcess extends Client {
  readonly child: ChildProcess;
  readonly output: string[];
  /** Sends a signal and waits until the process has exited. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The lease of the started processes. Shorter than the default of 4 s, so that tests wait less. */
export const LEASE_SECONDS = 2;

/** Other processes settle the runs of a dead process within this time: 10 s for the default lease. */
export const RECOVERY_MS = LEASE_SECONDS * 2_500;

/** The flags of `npm start`. */
const START_FLAGS = ['--liftoff-only', '--max-semi-space-size=16'];

const running = new Set<ChildProcess>();

/** The folder for the output of processes. The gate sets it, and prints the output of failed tests. */
const LOGS = process.env.TEST_LOGS;

function keepOutput({ pid, stdout, stderr }: ChildProcess): void {
  const { TEST_FILE } = process.env;
  // The preparation of a run starts processes outside of a test file.
  if (!LOGS || !TEST_FILE) return;
  const log = createWriteStream(join(LOGS, `${TEST_FILE}-${pid}.log`));
  for (const stream of [stdout, stderr]) stream?.pipe(log, { end: false });
}

/**
 * Starts a process and waits until it listens. `root` holds its bundle and the files that the bundle reads.
 * @throws with its output if it exits instead
 */
export async function startProcess(key: string, env: Record<string, string>, root = ROOT): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [...START_FLAGS, join(root, 'dist/main.js')], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      NO_COLOR: '1',
      LEASE_SECONDS: String(LEASE_SECONDS),
      // By default a PostgreSQL server allows 100 connections, and five files of tests run at a time.
      DATABASE_POOL_SIZE: '6',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  keepOutput(child);
  const output: string[] = [];
  child.stderr.on('data', (bytes: Buffer) => output.push(bytes.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line);
      const address = /^Parley runs at (\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`The service exited with ${code}:\n${output.join('\n')}`)));
  });
  return {
    ...clientOf(url, key),
    child,
    output,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

/** Kills every process that this test file started. */
export async function killAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }),
  );
}
