import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { rollingUpgrade } from '../support/upgrade/rolling-upgrade.ts';

/** `npm run upgrade-drill` does the same with a million rows. */
const ROWS = Number(process.env.UPGRADE_ROWS ?? 20_000);

/** The longest wait of a migration for a lock is 1.5 s. The rest is for a slow machine. */
const LONGEST_MS = 5_000;

describe.skipIf(!POSTGRES_URL)('two processes that are upgraded one after another under load', () => {
  let store: PostgresStore;
  beforeAll(async () => {
    store = await postgresStore();
  });
  afterAll(async () => {
    await killAll();
    await store?.remove();
  });

  it('fail no request and lose no write while a migration changes a table that somebody else reads', async () => {
    const reports: string[] = [];
    const report = (name: string, result: string) => reports.push(`${name}: ${result}`);
    const result = await rollingUpgrade({ store, rows: ROWS, report });
    expect(result.failures).toEqual([]);
    expect(result.lost).toEqual([]);
    expect(result.indexIsValid).toBe(true);
    expect(result.values).toBeGreaterThan(ROWS);
    expect(result.longestMs, reports.join('\n')).toBeLessThan(LONGEST_MS);
  }, 240_000);
});
