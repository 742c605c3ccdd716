import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DataStore, directoryStore, startOn } from '../support/data-stores.ts';
import { ROOT } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { until } from '../support/until.ts';

const ROUNDS = 12;
const STARTERS = 5;

/** Whole services that start together. */
const SERVICES = 3;

/** For each line: takes the lock and prints the result. */
const STARTER = `
  import { lockDataDir } from ${JSON.stringify(join(ROOT, 'src/db/data-dir.ts'))};
  process.stdin.on('data', () =>
    lockDataDir(process.argv[2]).then(() => console.log('holds it'), ({ message }) => console.log(message)));
  process.stdin.on('end', () => {});
  setInterval(() => {}, 60_000);
  console.log('ready');
`;

interface Starter {
  readonly child: ChildProcess;
  nextLine(): Promise<string>;
}

let store: string;
beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), 'parley-place-'));
});
afterEach(async () => {
  await killAll();
  await rm(store, { recursive: true, force: true });
});

describe('the lock of a data directory', () => {
  let bundle: string;
  beforeAll(async () => {
    bundle = await mkdtemp(join(tmpdir(), 'parley-starter-'));
    const stdin = { contents: STARTER, resolveDir: ROOT, loader: 'ts' as const };
    await build({ stdin, outfile: join(bundle, 'starter.mjs'), bundle: true, platform: 'node', format: 'esm' });
  });
  afterAll(() => rm(bundle, { recursive: true }));

  async function startStarter(dataDir: string): Promise<Starter> {
    const child = spawn(process.execPath, [join(bundle, 'starter.mjs'), dataDir]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    expect(await nextLine()).toBe('ready');
    return { child, nextLine };
  }

  /** Lets the processes race for the lock and kills the winner, which leaves a stale lock. Returns the losers. */
  async function race(starters: readonly Starter[]): Promise<Starter[]> {
    for (const { child } of starters) child.stdin?.write('go\n');
    const results = await Promise.all(starters.map(({ nextLine }) => nextLine()));
    const [winner, ...others] = starters.filter((_starter, index) => results[index] === 'holds it');
    expect([winner?.child.exitCode, others]).toEqual([null, []]);
    const losers = starters.filter((starter) => starter !== winner);
    expect(results.filter((result) => result.includes('is in use by another Parley process'))).toHaveLength(
      losers.length,
    );
    await kill(winner ? [winner] : []);
    return losers;
  }

  async function kill(starters: readonly Starter[]): Promise<void> {
    for (const { child } of starters) child.kill('SIGKILL');
    await Promise.all(starters.map(({ child }) => child.signalCode ?? once(child, 'exit')));
  }

  it.each([
    ['a short path', ''],
    ['a path that is too long for a socket', 'long-'.repeat(30)],
  ])('goes to one of five processes, %s', async (_name, below) => {
    const dataDir = join(store, below);
    let starters = await Promise.all(Array.from({ length: STARTERS - 1 }, () => startStarter(dataDir)));
    for (let round = 0; round < ROUNDS; round += 1) {
      starters = await race([...starters, await startStarter(dataDir)]);
    }
    await kill(starters);
    expect(await readdir(dataDir)).toEqual([`parley.${ROUNDS}.sock`]);
  });

  it('stays with a process that does not respond', async () => {
    const holder = await startStarter(store);
    holder.child.stdin?.write('go\n');
    expect(await holder.nextLine()).toBe('holds it');
    holder.child.kill('SIGSTOP');
    const other = await startStarter(store);
    other.child.stdin?.write('go\n');
    expect(await other.nextLine()).toContain('is in use');
    for (const { child } of [holder, other]) child.kill('SIGKILL');
  });

  it('is respected if an earlier release holds it', async () => {
    const holder = await startStarter(store);
    holder.child.stdin?.write('go\n');
    expect(await holder.nextLine()).toBe('holds it');
    await rename(join(store, 'parley.1.sock'), join(store, 'parley.sock'));
    const other = await startStarter(store);
    other.child.stdin?.write('go\n');
    expect(await other.nextLine()).toContain('is in use');
    for (const { child } of [holder, other]) child.kill('SIGKILL');
  });
});

/** Starts the service on a directory where it cannot start. */
async function failedStart(dataDir: string, uid?: number): Promise<{ code: number; errors: string; output: string }> {
  const child = spawn(process.execPath, ['--liftoff-only', '--enable-source-maps', join(ROOT, 'dist/main.js')], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir },
    ...(uid !== undefined && { uid, gid: uid }),
    // A successful start fails the test, and the process must not keep running.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  let [errors, output] = ['', ''];
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes));
  child.stdout.on('data', (bytes: Buffer) => (output += bytes));
  const [code] = await once(child, 'close');
  return { code, errors, output };
}

const oneLine = (pattern: RegExp) => ({
  code: 1,
  errors: expect.stringMatching(new RegExp(`^[^\\n]*${pattern.source}[^\\n]*\\n$`)),
  output: '',
});

describe('processes that start together on an empty directory', () => {
  it('leave one that runs, and every other one reports why it does not', async () => {
    const dataStore: DataStore = { key: '', env: { DATA_DIR: store }, remove: async () => {} };
    const starts = await Promise.allSettled(Array.from({ length: SERVICES }, () => startOn(dataStore)));
    const failures = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
    expect(failures).toHaveLength(SERVICES - 1);
    for (const failure of failures) expect(failure).toMatch(/is in use by another Parley process/);
  });
});

describe('a data directory that cannot be used', () => {
  it('is named in one line if a file of the database is missing, truncated or damaged', async () => {
    const dataStore = await directoryStore();
    const first = await startOn(dataStore);
    const { body } = await first.agentTurn('Hello');
    await first.kill('SIGTERM');
    const dataDir = dataStore.env.DATA_DIR ?? '';
    const version = join(dataDir, 'pglite/PG_VERSION');
    await rename(version, join(dataDir, 'PG_VERSION'));
    const before = await readdir(join(dataDir, 'pglite'));
    expect(await failedStart(dataDir)).toEqual(
      oneLine(/is damaged: the file PG_VERSION is missing\. Restore a backup/),
    );
    expect(await readdir(join(dataDir, 'pglite'))).toEqual(before);
    await rename(join(dataDir, 'PG_VERSION'), version);
    const second = await startOn(dataStore);
    const read = await second.send('GET', `/v1/runner/conversation/${body.conversation_id}/messages`);
    expect(read).toMatchObject({ status: 200, body: { total: 2 } });
    await second.kill('SIGTERM');

    const log = join(dataDir, 'pglite/pg_wal');
    const segment = (await readdir(log)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()[0] ?? '';
    await truncate(join(log, segment), 100_000);
    expect(await failedStart(dataDir)).toEqual(oneLine(/is damaged: PostgreSQL cannot open it\. Restore a backup/));
    await writeFile(join(dataDir, 'pglite/global/pg_control'), 'damaged');
    expect(await failedStart(dataDir)).toEqual(oneLine(/is damaged: PostgreSQL cannot open it\. Restore a backup/));
    await writeFile(join(dataDir, 'secret.key'), '');
    expect(await failedStart(dataDir)).toEqual(oneLine(/secret\.key is damaged.*Restore it from a backup/));
    await dataStore.remove();
  });

  it('is named in one line if it is a file, or if the user cannot write to it', async () => {
    const file = join(store, 'file');
    await writeFile(file, '');
    expect(await failedStart(file)).toEqual(oneLine(/cannot be used \(EEXIST\)\. Set DATA_DIR to a directory/));
    const readOnly = join(store, 'read-only');
    await mkdir(readOnly);
    await chmod(store, 0o755);
    await chmod(readOnly, 0o555);
    const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
    expect(await failedStart(readOnly, nobody)).toEqual(
      oneLine(/cannot be used \(EACCES\)\. Set DATA_DIR to a directory/),
    );
    await writeFile(join(readOnly, 'secret.key'), 'a'.repeat(43));
    expect(await failedStart(readOnly, nobody)).toEqual(
      oneLine(/cannot be used \(EACCES\)\. Set DATA_DIR to a directory/),
    );
  });

  it('is initialized again if the first start was killed', async () => {
    const child = spawn(process.execPath, ['--liftoff-only', join(ROOT, 'dist/main.js')], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: store },
    });
    await until(async () =>
      (await readdir(join(store, 'pglite.new'), { recursive: true }).catch(() => [])).some((path) =>
        path.endsWith('base'),
      ),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(store, 'pglite'))).toBe(false);
    const process_ = await startOn({ key: '', env: { DATA_DIR: store }, remove: async () => {} });
    expect((await process_.send('GET', '/readyz', { key: null })).status).toBe(200);
    expect(await readdir(store)).toEqual(['parley.2.sock', 'pglite', 'secret.key']);
  });
});
