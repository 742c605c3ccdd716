import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ROOT } from './database.ts';

const run = promisify(execFile);

/** A copy of the repository as a clone has it, with installed packages and without anything that a build wrote. */
export interface RepositoryCopy {
  readonly folder: string;
  /** Runs commands in one shell: the next ones have its variables. Returns what they print. */
  shell(commands: string): Promise<string>;
  /** Starts a server, and returns its output so far once a line matches. It ends with the copy. */
  start(commands: string, ready: RegExp, env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

export async function copyRepository(): Promise<RepositoryCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-clone-'));
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of stdout.split('\n').filter((line) => line !== '')) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // A file that was deleted and not committed.
    await copyFile(join(ROOT, path), join(folder, path)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await linkPackages(folder);
  const stops: (() => Promise<void>)[] = [];
  const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' };
  return {
    folder,
    async shell(commands) {
      const kept = `${folder}/variables`;
      const script = `set -e; [ -f ${kept} ] && . ${kept}\n${commands}\nexport -p > ${kept}`;
      return (await run('bash', ['-c', script], { cwd: folder, env, timeout: 300_000 })).stdout;
    },
    start(commands, ready, more = {}) {
      // A group of its own, because npm and npx start further processes.
      const child = spawn('bash', ['-c', commands], { cwd: folder, env: { ...env, ...more }, detached: true });
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      stops.push(async () => {
        if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
        await exited;
      });
      const output: string[] = [];
      return new Promise((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr])
          createInterface({ input: stream }).on('line', (line) => {
            output.push(line);
            if (ready.test(line)) resolve(output.join('\n'));
          });
        void exited.then(() => reject(new Error(`The server ended:\n${output.join('\n')}`)));
      });
    },
    async remove() {
      await Promise.all(stops.map((stop) => stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As `npm ci` leaves them, which the gate runs before all tests: hard links take a second. */
async function linkPackages(folder: string): Promise<void> {
  const { stdout } = await run('find', ['.', '-name', 'node_modules', '-prune', '-type', 'd'], { cwd: ROOT });
  for (const path of stdout.split('\n').filter((line) => line !== '')) {
    // On another file system, files cannot be linked.
    const [from, to] = [join(ROOT, path), join(folder, path)];
    await run('cp', ['-al', from, to]).catch(() => run('cp', ['-a', from, to]));
    await rm(join(to, '.cache'), { recursive: true, force: true });
  }
}
