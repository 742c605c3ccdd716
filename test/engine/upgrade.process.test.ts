import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL, ROOT } from '../support/database.ts';
import { startLoad } from '../support/load.ts';
import { killAll } from '../support/process.ts';

/** An additive migration: columns that old statements ignore, a table, an index. */
const LATER = `
ALTER TABLE "conversation" ADD COLUMN "later" TEXT;
ALTER TABLE "run" ADD COLUMN "later" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "timeline_item" ADD COLUMN "later" JSONB;
ALTER TABLE "api_key" ADD COLUMN "later" TIMESTAMPTZ(3);
CREATE INDEX "run_later_idx" ON "run"("later");
CREATE TABLE "later" ("id" UUID NOT NULL, CONSTRAINT "later_pkey" PRIMARY KEY ("id"));
`;

/** The service as a later release: the same code with one more migration. */
async function laterRelease(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'parley-later-'));
  for (const part of ['dist', 'prisma', 'public', 'schema', 'package.json'])
    await cp(join(ROOT, part), join(root, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const folder = join(root, 'prisma/migrations/99990101000000_later');
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), LATER);
  return root;
}

describe.skipIf(!POSTGRES_URL)('a release with a further, additive migration', () => {
  let store: PostgresStore;
  let root: string;
  beforeAll(async () => {
    [store, root] = await Promise.all([postgresStore(), laterRelease()]);
  });
  afterAll(async () => {
    await killAll();
    await store?.remove();
    await rm(root, { recursive: true });
  });

  it('starts and migrates while the previous release serves, which fails no request and can restart', async () => {
    const old = await startOn(store);
    const load = await startLoad(old);
    const next = await startOn(store, {}, root);
    expect(next.output.join()).toContain('99990101000000_later');
    const pool = openPool(store.url, 1);
    expect((await pool.query('SELECT count(*)::int AS found FROM later')).rows).toEqual([{ found: 0 }]);
    await pool.end();
    const before = load.succeeded;
    for (const process of [next, old]) {
      expect((await process.send('GET', '/readyz', { key: null })).status).toBe(200);
      expect((await process.agentTurn('Hello')).status).toBe(200);
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.succeeded).toBeGreaterThan(before);
    const repeated = await startOn(store);
    expect((await repeated.agentTurn('Hello')).status).toBe(200);
  });
});
