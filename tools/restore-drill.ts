// `npm run restore-drill -- FILE` restores a dump on a new PostgreSQL server in a temporary folder, starts the service on it,
// and prints what it checked. Needs SECRET_KEY (and SECRET_KEYS_BEFORE) of the service. Exits with 1 if a check fails.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { SecretBox } from '../src/domain/secret-box.ts';
import { freePorts } from '../test/support/free-ports.ts';
import { killAll } from '../test/support/process.ts';
import { SERVER_PROGRAMS, startScratchServer } from '../test/support/scratch-server.ts';
import { freshBundle } from './build.mjs';
import { beginning, comparePositions, countRows, openSealedSecrets, silence } from './restore-drill/database-checks.ts';
import { checkService } from './restore-drill/service-checks.ts';

const run = promisify(execFile);

const [dump] = process.argv.slice(2);
const { SECRET_KEY, SECRET_KEYS_BEFORE = '' } = process.env;

let failed = false;

/** Runs a check and prints its result. */
async function check(name: string, work: () => Promise<string>): Promise<void> {
  try {
    console.log(`ok      ${name}: ${await work()}`);
  } catch (error) {
    failed = true;
    console.log(`FAILED  ${name}: ${(error as Error).message}`);
  }
}

async function main(dump: string, secretKey: string): Promise<void> {
  await freshBundle('main.js');
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'parley-drill-'));
  const server = await startScratchServer(port);
  const database = new pg.Pool({ connectionString: server.url, max: 2 }).on('error', () => {});
  try {
    await check('restore', async () => {
      const startedAt = performance.now();
      await run('pg_restore', ['--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${server.url}`, dump]);
      return `a new server read ${dump} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
    });
    if (failed) return;
    await check('rows', () => countRows(database));
    const box = new SecretBox(secretKey, SECRET_KEYS_BEFORE.split(',').filter(Boolean));
    await check('secrets', () => openSealedSecrets(database, box));
    await silence(database);
    const { newest, transaction } = await beginning(database);
    await checkService(check, { databaseUrl: server.url, secretKey, folder });
    await check('positions', async () => {
      const next = await comparePositions(database, newest);
      return `the log ended at ${newest}, the transactions of this server began at ${transaction}, the next position is ${next}`;
    });
  } finally {
    await killAll();
    await database.end();
    await server.remove();
    await rm(folder, { recursive: true });
  }
}

if (!dump || !SECRET_KEY)
  throw new Error('Usage: SECRET_KEY=… npm run restore-drill -- FILE, a dump of pg_dump --format=custom');
if (!SERVER_PROGRAMS)
  throw new Error('initdb and pg_ctl are not installed on this machine. Install a PostgreSQL server.');
await main(dump, SECRET_KEY);
console.log(failed ? 'The drill failed.' : 'The dump can be restored.');
process.exitCode = failed ? 1 : 0;
