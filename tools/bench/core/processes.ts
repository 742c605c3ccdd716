import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { options } from './options.ts';

export const ROOT = join(import.meta.dirname, '../../..');

/** The key of the live environment of every measured service. */
export const KEY = `sk_live_${'b'.repeat(43)}`;

export const CHAT = '00000000-0000-4000-8000-000000000001';
export const AGENT = '00000000-0000-4000-8000-000000000002';

/** A measured server in a separate process. */
export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Stops it and waits until it has exited. */
  stop(): Promise<void>;
}

interface Start {
  /** A path relative to `dist`. */
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

const running = new Set<ChildProcess>();

/**
 * Starts a script of `dist` and waits until it prints its address. Its standard output is a pipe that is read, as in
 * production. @throws with its output if it exits instead
 */
export async function startTarget({ script, env = {}, nodeOptions = [] }: Start): Promise<Target> {
  const child = spawn(process.execPath, [...profiling(script), ...nodeOptions, join(ROOT, 'dist', script)], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const { stdout } = child as ChildProcess & { readonly stdout: Readable };
  const errorOutput: string[] = [];
  child.stderr?.on('data', (bytes: Buffer) => errorOutput.push(bytes.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const match = /^\w+ runs at (\S+)/.exec(line)?.[1];
      if (!match) return;
      lines.close();
      resolve(match);
    });
    child.once('exit', (code) => reject(new Error(`${script} exited with ${code}:\n${errorOutput.join('')}`)));
  });
  // From here on, its output is only drained.
  stdout.removeAllListeners('data').resume();
  return { url, pid: child.pid ?? 0, child, stop: () => end(child) };
}

const SERVICE = {
  SECRET_KEY: 'a secret that a measurement uses, and long enough',
  BOOTSTRAP_API_KEY: KEY,
  LOG_LEVEL: 'info',
} as const;

/** The options of Node with which the Dockerfile and the systemd unit start the service. */
export const SHIPPED = ['--liftoff-only', '--max-semi-space-size=16'] as const;

/** The built service, started like `node dist/main.js`, with a known key. */
export function startService(
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<Target> {
  return startTarget({ script: 'main.js', env: { ...SERVICE, ...env }, nodeOptions });
}

/** The service from source. It loads packages from `node_modules`, so a preloaded module can change them. */
export function startSource(
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<Target> {
  const loader = ['--import', import.meta.resolve('tsx')];
  return startTarget({
    script: '../src/main.ts',
    env: { ...SERVICE, ...env },
    nodeOptions: [...loader, ...nodeOptions],
  });
}

/** Starts a script of `tools/bench/processes` that communicates by messages. */
export function startHelper(name: string): ChildProcess {
  const child = spawn(process.execPath, [join(ROOT, 'dist/bench', `${name}.js`)], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Stops every process started here. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(end));
}

/** How long a service may take to shut down. */
const CLOSE_MS = 10_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const controller = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
  await controller;
  clearTimeout(late);
}

/** With `--profile`, each process writes a CPU profile for Chromium's developer tools to `dist/profiles`. */
function profiling(script: string): string[] {
  if (!options.profile) return [];
  const folder = join(ROOT, 'dist/profiles');
  mkdirSync(folder, { recursive: true });
  const name = script
    .replace(/\.[jt]s$/, '')
    .replace('../', '')
    .replaceAll('/', '-');
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}-${Date.now()}.cpuprofile`];
}
