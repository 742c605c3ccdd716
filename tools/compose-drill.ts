// `npm run compose-drill` starts what compose.yaml describes, without a container runtime: two processes from the tree of the
// image, PostgreSQL, Redis and nginx, with the environment and the configuration of that file. It restarts the processes one
// after another under load, and prints what it checked. Exits with 1 if a check fails.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { newApiKey } from '../src/domain/access/tokens.ts';
import { type Nginx, runNginx } from '../test/support/balancer.ts';
import { clientOf } from '../test/support/client.ts';
import { ROOT } from '../test/support/database.ts';
import { freePorts } from '../test/support/free-ports.ts';
import { startLoad, storedItemIds } from '../test/support/load.ts';
import { killAll, type ServiceProcess, startProcess } from '../test/support/process.ts';
import { SERVER_PROGRAMS, startScratchServer } from '../test/support/scratch-server.ts';
import { until } from '../test/support/until.ts';
import { freshBundle } from './build.mjs';
import { writeImageTree } from './image-tree.mjs';

const run = promisify(execFile);

const SHIPPED = join(ROOT, 'deploy/nginx.conf');

/** The script of compose.yaml that creates the service's user. */
const DATABASE_SCRIPT = join(ROOT, 'deploy/postgres.sql');

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly command?: readonly string[];
        readonly volumes?: readonly string[];
      }
    >
  >;
}

const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;

/** A process of compose.yaml with the port that it has here. */
const NAMES = ['parley-1', 'parley-2'];

const report = (text: string) => console.log(`ok      ${text}`);

/** The environment of a process in compose.yaml, with `values` for its variables and the defaults for the others. */
function environmentOf(name: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {}).map(([variable, text]) => {
    const filled = text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, own: string, kind: string, rest: string) => {
      const value = values[own] ?? (kind === '-' ? rest : undefined);
      if (value === undefined) throw new Error(`compose.yaml needs ${own}`);
      return value;
    });
    return [variable, filled] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/**
 * Prepares an empty server as compose.yaml does at the first start. Returns the URL of the service's database, with the
 * user of compose.yaml.
 */
async function prepareServer(adminUrl: string, values: Readonly<Record<string, string>>): Promise<string> {
  const { PARLEY_PASSWORD = '', POSTGRES_DB = '' } = environmentOf('postgres', values);
  if (!services.postgres?.volumes?.some((volume) => volume.startsWith('./deploy/postgres.sql:')))
    throw new Error('compose.yaml no longer runs deploy/postgres.sql');
  const psql = (url: string, ...args: string[]) =>
    run('psql', ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', ...args, url], {
      env: { ...process.env, PARLEY_PASSWORD },
    });
  await psql(adminUrl, `--command=CREATE DATABASE ${POSTGRES_DB}`);
  const database = new URL(adminUrl);
  database.pathname = `/${POSTGRES_DB}`;
  await psql(database.href, `--file=${DATABASE_SCRIPT}`);
  const own = new URL(environmentOf('parley-1', values).DATABASE_URL ?? '');
  own.host = database.host;
  const { stdout } = await psql(
    own.href,
    `--command=SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls FROM pg_roles WHERE rolname = current_user`,
  );
  if (stdout.trim() !== 'f') throw new Error("the service's user has rights on the whole server");
  report(`the service connects as ${own.username}, who is no superuser`);
  return own.href;
}

/** Whether the processes wrote a warning that row-level security is not active. */
function requireRowSecurity(processes: readonly ServiceProcess[]): void {
  if (processes.some(({ output }) => output.some((line) => line.includes('row-level security is not active'))))
    throw new Error('row-level security is not active');
  report('row-level security is active');
}

/** The configuration that the command of compose.yaml makes of the shipped one, with ports of this machine. */
async function nginxConfiguration(ports: readonly number[]): Promise<string> {
  const command = services.nginx?.command?.at(-1) ?? '';
  const edits = [...command.matchAll(/-e '([^']+)'/g)].flatMap(([, edit = '']) => ['-e', edit]);
  if (edits.length === 0) throw new Error('compose.yaml no longer edits the configuration of nginx with sed');
  const { stdout } = await run('sed', [...edits, SHIPPED]);
  // Addresses need no `resolve`, which nginx before 1.27.3 does not know.
  const edited = stdout.replaceAll(' resolve;', ';');
  return NAMES.reduce((text, name, index) => text.replaceAll(`${name}:4000`, `127.0.0.1:${ports[index]}`), edited);
}

/** Restarts each process under load. Compares what the subscribers received with what is stored. */
async function restartEach(
  url: string,
  key: string,
  databaseUrl: string,
  nginx: Nginx,
  start: (index: number) => Promise<ServiceProcess>,
): Promise<void> {
  const running = [await start(0), await start(1)];
  const client = clientOf(url, key);
  await until(async () => (await client.send('GET', '/readyz', { key: null })).status === 200);
  report('nginx forwards requests to both processes');
  requireRowSecurity(running);
  const load = await startLoad(client);
  for (const [index, name] of NAMES.entries()) {
    const before = load.succeeded;
    await running[index]?.kill('SIGTERM');
    const code = running[index]?.child.exitCode;
    if (code !== 0) throw new Error(`${name} exited with ${code} after SIGTERM`);
    running[index] = await start(index);
    // As the guide says: nginx excludes the process for 2 s.
    await pause(3_000);
    await until(async () => load.succeeded > before);
    report(`${name} stopped with exit code 0 and started again; ${load.succeeded} requests succeeded so far`);
  }
  const feeds = await load.stop();
  if (load.failures.length > 0)
    throw new Error(`requests failed:\n${[...load.failures, ...(await nginx.errors())].join('\n')}`);
  report(`no request failed, of ${load.succeeded}`);
  for (const { id, receivedIds, opened } of feeds) {
    const stored = await storedItemIds(databaseUrl, id);
    if (stored.join() !== receivedIds.join())
      throw new Error(`a subscriber of conversation ${id} missed or repeated an item`);
    report(`a subscriber received ${stored.length} items without gap or repeat, over ${opened} connections`);
  }
  for (const one of running) await one.kill('SIGTERM');
}

async function main(): Promise<void> {
  await freshBundle('main.js');
  const [nginxPort = 0, redisPort = 0, databasePort = 0, ...ports] = await freePorts(5);
  const url = `http://127.0.0.1:${nginxPort}`;
  const [tree, files] = await Promise.all([
    mkdtemp(join(tmpdir(), 'parley-image-')),
    mkdtemp(join(tmpdir(), 'parley-files-')),
  ]);
  writeImageTree(tree);
  const server = await startScratchServer(databasePort);
  const redis = spawn('redis-server', ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', ''], {
    stdio: 'ignore',
  });
  await once(redis, 'spawn');
  const nginx = await runNginx(nginxPort, await nginxConfiguration(ports)).catch((error: Error) => error);
  try {
    if (nginx instanceof Error) throw nginx;
    const key = newApiKey('live');
    const values = { POSTGRES_PASSWORD: 'of-the-drill-only', SECRET_KEY: 'a secret of the drill, and long enough' };
    const databaseUrl = await prepareServer(server.url, values);
    const start = (index: number) =>
      startProcess(
        key,
        {
          ...environmentOf(NAMES[index] ?? '', { ...values, PUBLIC_URL: url }),
          DATABASE_URL: databaseUrl,
          REDIS_URL: `redis://127.0.0.1:${redisPort}`,
          BOOTSTRAP_API_KEY: key,
          DATA_DIR: files,
          PORT: String(ports[index]),
        },
        tree,
      );
    await restartEach(url, key, databaseUrl, nginx, start);
  } finally {
    await killAll();
    if (!(nginx instanceof Error)) await nginx.close();
    redis.kill('SIGTERM');
    await server.remove();
    await Promise.all([tree, files].map((folder) => rm(folder, { recursive: true })));
  }
}

if (!SERVER_PROGRAMS)
  throw new Error('initdb and pg_ctl are not installed on this machine. Install a PostgreSQL server.');
await main().catch((error: Error) => {
  console.log(`FAILED  ${error.message}`);
  process.exitCode = 1;
});
console.log(process.exitCode ? 'The drill failed.' : 'The composed service restarts without a failed request.');
