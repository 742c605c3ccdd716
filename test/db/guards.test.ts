import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { EnvironmentRef, Guard } from '../../src/db/scope.ts';
import { guardedDb } from '../../src/db/scoped.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';
import { PGBOUNCER, type Pooler, startPgbouncer } from '../support/pgbouncer.ts';

/** Holds if the scope of its statement sees this many resources. */
const seeing = (count: number): Guard => ({
  text: 'SELECT WHERE 1 / (SELECT ($1 = count(*))::int FROM (SELECT FROM resource FOR NO KEY UPDATE) AS row) IS NULL',
  values: [String(count)],
  failure: '22012',
  error: () => new Error('the guard failed'),
});

const HOLDS = seeing(1);
const FAILS = seeing(2);

/** Each way to write, with a statement that no other way sends. */
const WAYS: readonly (readonly [
  name: string,
  write: (database: Database, own: EnvironmentRef, guard: Guard) => Promise<unknown>,
])[] = [
  [
    'a statement of SQL',
    ({ sql }, own, guard) => sql.within(own, guard).execute`UPDATE resource SET type = 'sql' WHERE type <> 'sql'`,
  ],
  [
    'a statement of Prisma',
    ({ prisma }, own, guard) => guardedDb(prisma, guard, own).resource.updateMany({ data: { type: 'prisma' } }),
  ],
  [
    'a transaction, after a read',
    ({ prisma }, own, guard) =>
      inTransaction(guardedDb(prisma, guard, own), async (tx) => {
        expect(await tx.$queryRaw`SELECT id FROM resource`).toHaveLength(1);
        await tx.$executeRaw`UPDATE resource SET type = 'first'`;
        await tx.$executeRaw`UPDATE resource SET type = 'second'`;
      }),
  ],
];

const reason = !POSTGRES_URL ? ' (skipped: TEST_DATABASE_URL is not set)' : PGBOUNCER ? '' : ' (skipped: no pgbouncer)';

describe.each([
  { place: 'on a connection with a session', isPooled: false },
  { place: `through PgBouncer in transaction mode${reason}`, isPooled: true },
])('the guard of a write, $place', ({ isPooled }) => {
  const isSkipped = isPooled && reason !== '';
  let copy: TestDatabase;
  let pooler: Pooler | undefined;
  let database: Database;
  let own: EnvironmentRef;
  beforeAll(async () => {
    if (isSkipped) return;
    copy = await createDatabase();
    const { location } = copy;
    if (location.kind !== 'postgresql') database = await openDatabase(location);
    else {
      const direct = location.sessionUrl ?? location.url;
      pooler = isPooled ? await startPgbouncer(direct) : undefined;
      const url = pooler ? pooler.urlOf(new URL(direct).pathname.slice(1)) : direct;
      // With one connection, every statement follows the failure of another one.
      database = await openDatabase({ ...location, url, sessionUrl: direct, poolSize: 1 });
    }
    own = (await makeTenant(database.prisma)).live;
    // A guard without the scope of its statement would count its rows too.
    const foreign = (await makeTenant(database.prisma)).live;
    for (const environment of [own, foreign]) await createEveryRow(database.prisma, environment);
  });
  afterAll(async () => {
    await database?.close();
    await Promise.all([pooler?.remove(), copy?.drop()]);
  });

  const types = async () =>
    (await database.prisma.resource.findMany({ orderBy: { id: 'asc' } })).map(({ type }) => type);

  it.skipIf(isSkipped).each(WAYS)(
    'prevents it if it fails, and its connection can send it again: %s',
    async (_way, write) => {
      const before = await types();
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(write(database, own, FAILS)).rejects.toThrow('the guard failed');
        expect(await types()).toEqual(before);
      }
      for (let attempt = 0; attempt < 2; attempt += 1) await write(database, own, HOLDS);
      const changed = (await types()).filter((type, index) => type !== before[index]);
      expect(changed).toHaveLength(1);
    },
  );
});
