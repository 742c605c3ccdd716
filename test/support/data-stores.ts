import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '../../src/domain/access/tokens.ts';
import { CACHE, createDatabase, createEmptyPostgres, template } from './database.ts';
import { type ServiceProcess, startProcess } from './process.ts';

/** The data of service processes. A later process finds it again. */
export interface DataStore {
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export interface PostgresStore extends DataStore {
  readonly url: string;
}

/** A database with an owner who can sign in. */
export interface OwnedStore extends PostgresStore {
  readonly owner: { readonly email: string; readonly password: string };
  /** A key of the test environment. */
  readonly testKey: string;
}

/** An empty directory for the embedded database. */
export async function emptyDirectoryStore(): Promise<DataStore> {
  return storeAt(await mkdtemp(join(tmpdir(), 'parley-store-')), newApiKey('live'));
}

/** A directory with an embedded database after a first start: a copy of the one that `prepareDirectory` made. */
export async function directoryStore(): Promise<DataStore> {
  const { folder, keyFile } = preparedDirectory();
  const path = await mkdtemp(join(tmpdir(), 'parley-store-'));
  // The socket is the lock of the process that made the directory.
  await cp(folder, path, { recursive: true, filter: (from) => !from.endsWith('.sock') });
  return storeAt(path, await readFile(keyFile, 'utf8'));
}

function storeAt(path: string, key: string): DataStore {
  return {
    key,
    env: { DATA_DIR: path, BOOTSTRAP_API_KEY: key },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Creates the directory that `directoryStore` copies, because a first start takes seconds of CPU time. */
export async function prepareDirectory(): Promise<void> {
  const { folder, keyFile } = preparedDirectory();
  if (existsSync(keyFile)) return;
  await rm(folder, { recursive: true, force: true });
  const store = storeAt(folder, newApiKey('live'));
  const service = await startOn(store);
  await service.kill('SIGTERM');
  await writeFile(keyFile, store.key);
}

function preparedDirectory(): { readonly folder: string; readonly keyFile: string } {
  const folder = join(CACHE, `${template().name}.directory`);
  return { folder, keyFile: `${folder}.key` };
}

/** A PostgreSQL database without tables. */
export async function emptyPostgresStore(): Promise<PostgresStore> {
  const { url, drop } = await createEmptyPostgres();
  const key = newApiKey('live');
  return { url, key, env: { ...postgresEnv(url), BOOTSTRAP_API_KEY: key }, remove: drop };
}

/** A PostgreSQL database after a first start. */
export async function postgresStore(): Promise<OwnedStore> {
  const { location, access: created, drop } = await createDatabase();
  if (location.kind !== 'postgresql') throw new Error('TEST_DATABASE_URL is not set');
  const { email, password, keys } = created;
  const owner = { email, password };
  return { url: location.url, key: keys.live, testKey: keys.test, owner, env: postgresEnv(location.url), remove: drop };
}

function postgresEnv(url: string) {
  return { DATABASE_URL: url, SECRET_KEY: 'the same secret for every process of the test' };
}

export function startOn(store: DataStore, env: Record<string, string> = {}, root?: string): Promise<ServiceProcess> {
  return startProcess(store.key, { ...store.env, ...env }, root);
}

/** The processes of each database that `startGroup` returned last. */
const GROUPS = new WeakMap<DataStore, readonly ServiceProcess[]>();

/** Two processes on a database. They are those of the test before, except the ones that it stopped. */
export async function startPair(store: DataStore): Promise<[ServiceProcess, ServiceProcess]> {
  return (await startGroup(store, 2)) as [ServiceProcess, ServiceProcess];
}

/** The only process on a database. It is one of the test before if it still runs. */
export async function startSingle(store: DataStore): Promise<ServiceProcess> {
  return (await startGroup(store, 1))[0] as ServiceProcess;
}

/** Keeps as many processes of the test before as this one needs, kills the others, and starts those that are missing. */
async function startGroup(store: DataStore, size: number): Promise<ServiceProcess[]> {
  const left = (GROUPS.get(store) ?? []).filter(isRunning);
  await Promise.all(left.slice(size).map((process) => process.kill('SIGKILL')));
  const kept = left.slice(0, size);
  const started = Array.from({ length: size - kept.length }, () => startOn(store));
  const group = [...kept, ...(await Promise.all(started))];
  GROUPS.set(store, group);
  return group;
}

function isRunning({ child }: ServiceProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
