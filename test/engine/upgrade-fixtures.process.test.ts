import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { SecretBox } from '../../src/domain/secret-box.ts';
import { openSealedSecrets } from '../../tools/restore-drill/database-checks.ts';
import { createEmptyPostgres, POSTGRES_URL, ROOT } from '../support/database.ts';
import { type LaterRelease, laterRelease } from '../support/later-migrations.ts';
import { killAll, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  fixtureReleases,
  KINDS,
  type Kind,
  lostRows,
  readFacts,
  restoreDatabase,
  unpackDirectory,
} from '../support/upgrade/archive.ts';
import { failedChecks } from '../support/upgrade/checks.ts';
import type { Facts } from '../support/upgrade/facts.ts';

/** The data of a fixture, restored. */
interface OldData {
  readonly facts: Facts;
  readonly env: Readonly<Record<string, string>>;
  readonly location: Parameters<typeof openDatabase>[0];
  remove(): Promise<void>;
}

async function restore(release: string, kind: Kind): Promise<OldData> {
  const facts = await readFacts(release, kind);
  if (kind === 'directory') {
    const path = await mkdtemp(join(tmpdir(), 'parley-upgraded-'));
    await unpackDirectory(release, path);
    return { facts, env: { DATA_DIR: path }, location: { kind, path }, remove: () => rm(path, { recursive: true }) };
  }
  const { url, drop } = await createEmptyPostgres();
  await restoreDatabase(release, url);
  return { facts, env: { DATABASE_URL: url, SECRET_KEY: facts.secretKey }, location: { kind, url }, remove: drop };
}

let receiver: Receiver;
const restored: OldData[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await killAll();
  await Promise.all(restored.splice(0).map((data) => data.remove()));
});
afterAll(() => receiver.close());

/** Starts a build on the data of an old release. Returns everything that is wrong then. */
async function problemsOf(release: string, kind: Kind, root?: string): Promise<string[]> {
  const data = await restore(release, kind);
  restored.push(data);
  const { facts, env } = data;
  const started = await startProcess(facts.key, { ...env, ALLOW_LOOPBACK: 'true' }, root).catch(
    (error: Error) => error,
  );
  if (started instanceof Error) return [`start: ${started.message}`];
  const problems = await failedChecks(started, facts, receiver);
  await started.kill('SIGTERM');
  const database = await openDatabase(data.location);
  try {
    await database.asOwner(async (connection) => {
      problems.push(...(await lostRows(connection, facts)));
      await openSealedSecrets(connection, new SecretBox(facts.secretKey)).catch((error: Error) =>
        problems.push(`secrets: ${error.message}`),
      );
    });
  } finally {
    await database.close();
  }
  return problems;
}

const available = KINDS.filter((kind) => kind === 'directory' || POSTGRES_URL);

const cases = fixtureReleases().flatMap((release) => available.map((kind) => ({ release, kind })));

describe('this build, on the data of an earlier release', () => {
  it.each(cases)(
    'starts on the $kind of $release, which keeps every row and does what it did',
    async ({ release, kind }) => {
      expect(await problemsOf(release, kind)).toEqual([]);
    },
  );
});

/** Changes that an upgrade may make. */
const ADDITIVE = `ALTER TABLE "conversation" ADD COLUMN "later" TEXT NOT NULL DEFAULT 'none';
CREATE TABLE "later" ("id" UUID NOT NULL, CONSTRAINT "later_pkey" PRIMARY KEY ("id"));`;

/** Changes that an upgrade may not make, and the check that finds each. */
const BREAKING: readonly (readonly [found: string, script: string])[] = [
  ['conversations', 'ALTER TABLE "timeline_item" RENAME COLUMN "content" TO "contents"'],
  ['the events after an old cursor', 'ALTER TABLE "event" DISABLE TRIGGER USER; UPDATE "event" SET "xid" = log_xid()'],
  ['secrets', `UPDATE "integration" SET "sealed_secrets" = 'lost'`],
  ['a turn that was paused', `UPDATE "run" SET "status" = 'failed' WHERE "status" = 'waiting_for_client_action'`],
  ['workflow_log', 'UPDATE "trigger" SET "workflow_log_id" = NULL; DELETE FROM "workflow_log"'],
];

describe('a later migration, on the data of the newest release', () => {
  const release = String(fixtureReleases().at(-1));
  const kind = available.at(-1) ?? 'directory';
  let build: LaterRelease;
  beforeAll(async () => {
    build = await laterRelease({});
  });
  afterAll(() => build?.remove());

  it.each(available)('is applied to the %s, which keeps every row and does what it did', async (place) => {
    await build.add('later', ADDITIVE);
    expect(await problemsOf(release, place, build.root)).toEqual([]);
  });

  it.each(BREAKING)('is found if it breaks %s: %s', async (found, script) => {
    await build.add('later', `${script};`);
    expect((await problemsOf(release, kind, build.root)).join()).toContain(found);
  });
});

describe('the fixtures', () => {
  it('exist for every release of the changelog since 1.0.0', async () => {
    const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8');
    const released = [...changelog.matchAll(/^## \[([1-9]\d*\.\d+\.\d+)\]/gm)].map(([, version]) => version);
    expect(fixtureReleases()).toEqual(expect.arrayContaining(released));
  });
});
