import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { OwnerConnection } from '../../../src/db/as-owner.ts';
import { openPool, ROOT } from '../database.ts';
import type { Facts } from './facts.ts';

const run = promisify(execFile);

const FOLDER = join(ROOT, 'test/engine/fixtures');

/** A window that reaches from one copy of PostgreSQL's catalogue to the next: an empty database has three. */
const COMPRESSION = {
  [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
  [constants.BROTLI_PARAM_LGWIN]: 26,
  [constants.BROTLI_PARAM_QUALITY]: 9,
};

/** The kinds of data that a fixture has. Each has facts of its own. */
export const KINDS = ['directory', 'postgresql'] as const;
export type Kind = (typeof KINDS)[number];

const EXTENSIONS = { directory: 'tar', postgresql: 'sql' } as const;

const folderOf = (release: string) => join(FOLDER, release);

const dataPath = (release: string, kind: Kind) => join(folderOf(release), `${kind}.${EXTENSIONS[kind]}.br`);

const factsPath = (release: string, kind: Kind) => join(folderOf(release), `${kind}.json`);

/** The releases that have a fixture. */
export function fixtureReleases(): string[] {
  return readdirSync(FOLDER).sort();
}

export async function writeFixture(kind: Kind, data: Buffer, facts: Facts): Promise<void> {
  await mkdir(folderOf(facts.release), { recursive: true });
  await writeFile(dataPath(facts.release, kind), brotliCompressSync(data, { params: COMPRESSION }));
  await writeFile(factsPath(facts.release, kind), `${JSON.stringify(facts, null, 2)}\n`);
}

export async function readFacts(release: string, kind: Kind): Promise<Facts> {
  return JSON.parse(await readFile(factsPath(release, kind), 'utf8'));
}

async function readData(release: string, kind: Kind): Promise<Buffer> {
  const params = { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 };
  return brotliDecompressSync(await readFile(dataPath(release, kind)), { params });
}

/** The files of a directory, without sockets. */
export async function packDirectory(directory: string): Promise<Buffer> {
  const { stdout } = await run('tar', ['--create', '--sort=name', '--exclude=*.sock', '--directory', directory, '.'], {
    encoding: 'buffer',
    maxBuffer: 1 << 30,
  });
  return stdout;
}

export async function unpackDirectory(release: string, directory: string): Promise<void> {
  const archive = join(directory, 'fixture.tar');
  await writeFile(archive, await readData(release, 'directory'));
  await run('tar', ['--extract', '--no-same-owner', '--file', archive, '--directory', directory]);
}

/** The database as statements, so that a driver can restore it. The lines with a backslash are for psql. */
export async function dumpDatabase(url: string): Promise<Buffer> {
  const args = ['--no-owner', '--no-privileges', '--rows-per-insert=100', `--dbname=${url}`];
  const { stdout } = await run('pg_dump', args, { maxBuffer: 1 << 30 });
  return Buffer.from(stdout.replaceAll(/^\\.*\n/gm, ''));
}

export async function restoreDatabase(release: string, url: string): Promise<void> {
  const pool = openPool(url, 1);
  try {
    await pool.query(String(await readData(release, 'postgresql')));
  } finally {
    await pool.end();
  }
}

/** Tables with fewer rows than the facts say. */
export async function lostRows(connection: Pick<OwnerConnection, 'query'>, { counts }: Facts): Promise<string[]> {
  const lost: string[] = [];
  for (const [table, count] of Object.entries(counts)) {
    if (table in TRANSIENT) continue;
    const { rows } = await connection.query<{ count: number }>(`SELECT count(*)::int AS count FROM "${table}"`);
    if ((rows[0]?.count ?? 0) < count) lost.push(`${table}: ${rows[0]?.count} of ${count}`);
  }
  return lost;
}

/** Tables whose rows the service deletes as time passes, and why. */
const TRANSIENT: Readonly<Record<string, string>> = {
  authorization_record: 'codes and tokens expire',
  connected_app: 'members allow an app for a limited time',
  end_user_token: 'tokens expire',
  file_removal: 'a sweep deletes the bytes',
  idempotency_record: 'keys expire',
  invitation: 'invitations expire',
  outgoing_mail: 'mails are sent or expire',
  password_reset: 'links expire',
  registered_app: 'apps that no member has connected are deleted',
  queued_turn: 'a later process keeps the message of a dead one',
  rate_limit: 'windows end',
  revoked_end_user: 'revocations end with the last token',
  session: 'sessions expire',
  sign_in_ticket: 'tickets expire',
  trace_span: 'traces are kept for 30 days',
  used_sign_in_state: 'attempts expire',
  webhook_attempt: 'deliveries are kept for 30 days',
  webhook_delivery: 'deliveries are kept for 30 days',
  webhook_replay: 'ends with its deliveries',
};
