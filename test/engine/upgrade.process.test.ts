import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { type LaterRelease, laterRelease } from '../support/later-migrations.ts';
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

describe.skipIf(!POSTGRES_URL)('a release with a further, additive migration', () => {
  let store: PostgresStore;
  let release: LaterRelease;
  beforeAll(async () => {
    [store, release] = await Promise.all([postgresStore(), laterRelease({ later: LATER })]);
  });
  afterAll(async () => {
    await killAll();
    await store?.remove();
    await release?.remove();
  });

  it('starts and migrates while the previous release serves, which fails no request and can restart', async () => {
    const old = await startOn(store);
    const load = await startLoad(old);
    const next = await startOn(store, {}, release.root);
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
