import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, clientOf } from './client.ts';
import { ROOT } from './database.ts';

/** The service as a process of its own, started from the bundle, to be killed with real signals. */
export interface ServiceProcess extends Client {
  readonly child: ChildProcess;
  readonly output: string[];
  /** Ends it with a signal and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();

/**
 * Starts a process and waits until it listens. `root` holds its bundle and what that reads.
 * @throws with its output where it ends instead
 */
export async function startProcess(key: string, env: Record<string, string>, root = ROOT): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist/main.js')], {
    cwd: root,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const output: string[] = [];
  child.stderr.on('data', (bytes: Buffer) => output.push(bytes.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line);
      const found = /^Parley runs at (\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${output.join('\n')}`)));
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

/** Ends every process that this test file started. */
export async function killAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }),
  );
}
