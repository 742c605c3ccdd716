import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { scopedDb } from '../../src/db/scoped.ts';
import { rowSecurityIsActive } from '../../src/db/session.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { makeTenant } from '../support/all-models.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';
import { PGBOUNCER, type Pooler, SERVER_CONNECTIONS, startPgbouncer } from '../support/pgbouncer.ts';

const reason = !POSTGRES_URL ? ' (skipped: TEST_DATABASE_URL is not set)' : PGBOUNCER ? '' : ' (skipped: no pgbouncer)';

describe.skipIf(reason !== '')(`statements through PgBouncer in transaction mode${reason}`, () => {
  let copy: TestDatabase;
  let pooler: Pooler;
  let database: Database;
  let own: EnvironmentRef;
  beforeAll(async () => {
    copy = await createDatabase();
    const direct = copy.location.kind === 'postgresql' ? (copy.location.sessionUrl ?? copy.location.url) : '';
    pooler = await startPgbouncer(direct);
    const url = pooler.urlOf(new URL(direct).pathname.slice(1));
    // More connections than PgBouncer has: each of its sessions serves all of them in turn.
    const poolSize = 2 * SERVER_CONNECTIONS;
    database = await openDatabase({ kind: 'postgresql', url, sessionUrl: direct, poolSize });
    own = (await makeTenant(database.prisma)).live;
  });
  afterAll(async () => {
    await database?.close();
    await Promise.all([pooler?.remove(), copy?.drop()]);
  });

  interface Facts {
    readonly role: string;
    readonly zone: string;
    readonly environments: number;
  }

  const FACTS = `SELECT current_user::text AS role, current_setting('TimeZone') AS zone,
    (SELECT count(*)::int FROM environment) AS environments`;

  /** A workspace has two environments. */
  const TENANT = { role: 'parley_service', zone: 'UTC', environments: 2 };
  const SYSTEM = { role: 'postgres', zone: 'UTC', environments: 4 };
  const NOBODY = { role: 'parley_service', zone: 'UTC', environments: 0 };

  const byPrisma = async (read: Promise<Facts[]>) => (await read)[0];

  /** Each way to send a statement, with what it must see. */
  const WAYS: readonly (readonly [name: string, expected: Facts, read: () => Promise<Facts | undefined>])[] = [
    ['SQL of an environment', TENANT, async () => (await database.sql.within(own).rows<Facts>(asTemplate(FACTS)))[0]],
    ['SQL of the system', SYSTEM, async () => (await database.sql.rows<Facts>(asTemplate(FACTS)))[0]],
    ['Prisma of an environment', TENANT, () => byPrisma(scopedDb(database.prisma, own).$queryRawUnsafe(FACTS))],
    ['Prisma of the system', SYSTEM, () => byPrisma(database.prisma.$queryRawUnsafe(FACTS))],
    [
      'a transaction of an environment',
      TENANT,
      () =>
        inTransaction(scopedDb(database.prisma, own), (tx) => byPrisma(tx.$queryRawUnsafe(FACTS)), {
          isolationLevel: 'RepeatableRead',
        }),
    ],
    ['a statement without a scope', NOBODY, async () => (await database.pool.query<Facts>(FACTS)).rows[0]],
    [
      'a named statement of a package',
      NOBODY,
      async () => (await database.pool.query<Facts>({ name: 'named', text: FACTS, values: [] })).rows[0],
    ],
  ];

  it('have their own role, time zone and environment, whatever ran before on the session', async () => {
    expect(await rowSecurityIsActive(database.sql)).toBe(true);
    const rounds = Array.from({ length: 20 }, () => WAYS).flat();
    const seen = await Promise.all(rounds.map(([, , read]) => read()));
    expect(seen).toEqual(rounds.map(([, expected]) => expected));
  });

  it('leave no prepared statement on any session', async () => {
    const reads = Array.from({ length: 4 * SERVER_CONNECTIONS }, () =>
      database.pool.query('SELECT name FROM pg_prepared_statements'),
    );
    expect((await Promise.all(reads)).flatMap(({ rows }) => rows)).toEqual([]);
  });
});

/** A text without values as a tagged template. */
function asTemplate(text: string): TemplateStringsArray {
  return Object.assign([text], { raw: [text] });
}
