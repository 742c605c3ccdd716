import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '../../src/domain/access/tokens.ts';
import { createDatabase, createEmptyPostgres } from './database.ts';
import { type ServiceProcess, startProcess } from './process.ts';

/** Where service processes keep their data, so that the next one finds it again. */
export interface Place {
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export interface PostgresPlace extends Place {
  readonly url: string;
}

/** A database that somebody can sign in to. */
export interface OwnedPlace extends PostgresPlace {
  readonly owner: { readonly email: string; readonly password: string };
}

/** An empty directory, for the embedded database. */
export async function directory(): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), 'parley-place-'));
  const key = newApiKey('live');
  return {
    key,
    env: { DATA_DIR: path, BOOTSTRAP_API_KEY: key },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** A PostgreSQL database without tables. */
export async function emptyPostgres(): Promise<PostgresPlace> {
  const { url, drop } = await createEmptyPostgres();
  const key = newApiKey('live');
  return { url, key, env: { ...postgresEnv(url), BOOTSTRAP_API_KEY: key }, remove: drop };
}

/** A PostgreSQL database with a first start behind it. */
export async function postgres(): Promise<OwnedPlace> {
  const { location, made, drop } = await createDatabase();
  if (location.kind !== 'postgresql') throw new Error('TEST_DATABASE_URL is not set');
  const { email, password, keys } = made;
  const owner = { email, password };
  return { url: location.url, key: keys.live, owner, env: postgresEnv(location.url), remove: drop };
}

function postgresEnv(url: string) {
  return { DATABASE_URL: url, SECRET_KEY: 'the same secret for every process of the test' };
}

export function startAt(place: Place, env: Record<string, string> = {}, root?: string): Promise<ServiceProcess> {
  return startProcess(place.key, { ...place.env, ...env }, root);
}

export async function startPair(place: Place): Promise<[ServiceProcess, ServiceProcess]> {
  return Promise.all([startAt(place), startAt(place)]);
}
