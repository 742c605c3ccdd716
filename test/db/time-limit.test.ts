import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type ScopedDb, scopedDb } from '../../src/db/scoped.ts';
import { withinTime } from '../../src/db/time-limit.ts';
import { makeTenant } from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';

const POSTGRES_URL = process.env.TEST_DATABASE_URL;

// The embedded database does not cancel statements.
describe.skipIf(!POSTGRES_URL)('a statement with a time limit', () => {
  let copy: TestDatabase;
  let database: Database;
  let db: ScopedDb;
  beforeAll(async () => {
    copy = await createDatabase();
    // With one connection, every statement follows the limited one.
    database = await openDatabase(
      copy.location.kind === 'postgresql' ? { ...copy.location, poolSize: 1 } : copy.location,
    );
    db = scopedDb(database.prisma, (await makeTenant(database.prisma)).live);
  });
  afterAll(async () => {
    await database.close();
    await copy.drop();
  });

  const sleep = (seconds: number) =>
    withinTime(db, 0.5, (tx) => tx.$queryRaw<object[]>`SELECT pg_sleep(${seconds})::text AS slept`);

  it('is canceled after that time', async () => {
    const start = performance.now();
    expect(await sleep(8)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(busyMs(5_000));
  });

  it('returns its rows before that time', async () => {
    expect(await sleep(0.01)).toEqual([{ slept: '' }]);
  });

  it('reports other errors', async () => {
    await expect(withinTime(db, 0.5, (tx) => tx.$queryRaw`SELECT 1 / 0`)).rejects.toThrow(/zero/);
  });

  it('leaves later statements without a limit', async () => {
    expect(await sleep(8)).toBeUndefined();
    expect(await db.$queryRaw`SELECT pg_sleep(0.8)::text AS slept`).toEqual([{ slept: '' }]);
    expect(await db.$queryRaw`SHOW statement_timeout`).not.toEqual([{ statement_timeout: '500ms' }]);
  });
});
