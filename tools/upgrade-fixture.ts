// `npm run upgrade-fixture -- VERSION` writes the data of this release to test/engine/fixtures/VERSION: a data directory and a
// PostgreSQL dump, each with example data in every table. Run it once for each release. Needs TEST_DATABASE_URL and pg_dump.
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/config.ts';
import { readOrCreateSecret } from '../src/db/secret-file.ts';
import { newApiKey } from '../src/domain/access/tokens.ts';
import { clientOf } from '../test/support/client.ts';
import { createEmptyPostgres, POSTGRES_URL, prepareTemplate } from '../test/support/database.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { startService, type TestService } from '../test/support/service.ts';
import { dumpDatabase, packDirectory, writeFixture } from '../test/support/upgrade/archive.ts';
import { countTables, fillTables } from '../test/support/upgrade/example-data.ts';
import { type Facts, recordFacts } from '../test/support/upgrade/facts.ts';
import { settledDeliveries } from '../test/support/webhooks.ts';

/** What the fixture's clients know from the start. */
type Access = Pick<Facts, 'key' | 'secretKey' | 'owner'>;

const accessWith = (secretKey: string): Access => ({
  key: newApiKey('live'),
  secretKey,
  owner: { email: 'owner@example.com', password: randomBytes(18).toString('base64url') },
});

/** Fills a database, and returns the result of `snapshot`, which runs while a turn is running and a message waits. */
async function fill(
  release: string,
  access: Access,
  location: Pick<Config, 'database' | 'files'>,
  snapshot: () => Promise<Buffer>,
): Promise<{ facts: Facts; data: Buffer }> {
  const receiver = await startReceiver();
  const apiKey = { environment: 'live' as const, secret: access.key };
  const started = await startService({
    ...location,
    secretKey: access.secretKey,
    bootstrap: { apiKey, ...access.owner },
    redisUrl: undefined,
    trustProxy: 'loopback',
  });
  const service: TestService = { ...started, ...clientOf(started.url, access.key), owner: access.owner };
  try {
    const recorded = await recordFacts(service, receiver.url);
    await fillTables(service, receiver.url);
    await settledDeliveries(service, recorded.endpoint.id, 1);
    const facts = { release, ...access, ...recorded, counts: await countTables(service) };
    return { facts, data: await snapshot() };
  } finally {
    await service.close();
    await receiver.close();
  }
}

async function fillDirectory(release: string): Promise<void> {
  const [directory, copy] = [await newFolder(), await newFolder()];
  try {
    const location = {
      database: { kind: 'directory', path: directory },
      files: { kind: 'directory', path: join(directory, 'files') },
    } as const;
    const { facts, data } = await fill(release, accessWith(readOrCreateSecret(directory)), location, () => {
      // The database runs in this process, so it writes nothing during this call: the copy is what a killed process leaves.
      cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      return packDirectory(copy);
    });
    await writeFixture('directory', data, facts);
  } finally {
    await Promise.all([directory, copy].map((folder) => rm(folder, { recursive: true })));
  }
}

async function fillPostgres(release: string): Promise<void> {
  const { url, drop } = await createEmptyPostgres();
  try {
    const location = { database: { kind: 'postgresql', url }, files: { kind: 'memory' } } as const;
    const access = accessWith(randomBytes(32).toString('base64'));
    const { facts, data } = await fill(release, access, location, () => dumpDatabase(url));
    await writeFixture('postgresql', data, facts);
  } finally {
    await drop();
  }
}

const newFolder = () => mkdtemp(join(tmpdir(), 'parley-fixture-'));

const [release] = process.argv.slice(2);
if (!release || !/^\d+\.\d+\.\d+$/.test(release))
  throw new Error('Usage: npm run upgrade-fixture -- VERSION, like 1.0.0');
if (!POSTGRES_URL) throw new Error('Set TEST_DATABASE_URL to a PostgreSQL server.');
await prepareTemplate();
await fillDirectory(release);
await fillPostgres(release);
console.log(`Wrote test/engine/fixtures/${release}. Commit it.`);
process.exit(0);
