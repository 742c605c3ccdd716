import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asServerOwner } from '../../src/db/as-owner.ts';
import { type DatabaseLocation, openDatabase } from '../../src/db/database.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { scopedDb } from '../../src/db/scoped.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { makeTenant } from '../support/all-models.ts';
import { createDatabase, openPool, POSTGRES_URL } from '../support/database.ts';
import { PGBOUNCER, type Pooler, startPgbouncer } from '../support/pgbouncer.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

/** Each setting that the service depends on, with a value of an operator and the value of the service. */
const SETTINGS = [
  ['TimeZone', 'Asia/Kathmandu', 'UTC'],
  ['DateStyle', 'SQL, DMY', 'ISO, MDY'],
  ['IntervalStyle', 'iso_8601', 'postgres'],
  ['bytea_output', 'escape', 'hex'],
  ['extra_float_digits', '-10', '1'],
  ['standard_conforming_strings', 'off', 'on'],
  ['array_nulls', 'off', 'on'],
  ['row_security', 'off', 'on'],
  ['gin_fuzzy_search_limit', '1', '0'],
  ['search_path', 'elsewhere', 'public'],
  ['transaction_isolation', 'serializable', 'read committed'],
] as const;

const EXPECTED = Object.fromEntries(SETTINGS.map(([name, , value]) => [name, value]));

const FACTS = `SELECT ${SETTINGS.map(([name]) => `current_setting('${name}') AS "${name}"`).join(', ')}`;

type Facts = Record<string, string>;

const TURNS = 16;

describe.skipIf(!POSTGRES_URL)('a database whose settings differ', () => {
  const places = [
    ['of the database', (name: string) => `ALTER DATABASE ${name}`],
    ['of the user', (name: string) => `ALTER ROLE postgres IN DATABASE ${name}`],
  ] as const;
  const ways = ['directly', ...(PGBOUNCER ? ['through PgBouncer'] : [])];
  const cases = places.flatMap(([place, alter]) => ways.map((way) => ({ place, alter, way })));

  describe.each(cases)('$place, $way', ({ alter, way }) => {
    let location: Extract<DatabaseLocation, { kind: 'postgresql' }>;
    let pooler: Pooler | undefined;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const copy = await createDatabase();
      drop = copy.drop;
      const { location: made } = copy;
      const url = made.kind === 'postgresql' ? (made.sessionUrl ?? made.url) : '';
      const name = new URL(url).pathname.slice(1);
      const pool = openPool(url, 1);
      for (const [setting, value] of SETTINGS) {
        const stored = setting === 'transaction_isolation' ? `default_${setting}` : setting;
        await pool.query(`${alter(name)} SET ${stored} = '${value}'`);
      }
      await pool.end();
      if (way === 'directly') location = { kind: 'postgresql', url, poolSize: 8 };
      else {
        pooler = await startPgbouncer(url);
        location = { kind: 'postgresql', url: pooler.urlOf(name), sessionUrl: url, poolSize: 8 };
      }
    });
    afterAll(async () => {
      await pooler?.remove();
      await drop();
    });

    it('does not change the settings of any statement', async () => {
      const database = await openDatabase(location);
      const own: EnvironmentRef = (await makeTenant(database.prisma)).live;
      const text = Object.assign([FACTS], { raw: [FACTS] });
      const seen: Record<string, Facts | undefined> = {
        'SQL of an environment': (await database.sql.within(own).rows<Facts>(text))[0],
        'SQL of the system': (await database.sql.rows<Facts>(text))[0],
        'Prisma of an environment': (await scopedDb(database.prisma, own).$queryRawUnsafe<Facts[]>(FACTS))[0],
        'Prisma of the system': (await database.prisma.$queryRawUnsafe<Facts[]>(FACTS))[0],
        'a transaction of an environment': await inTransaction(
          scopedDb(database.prisma, own),
          async (tx) => (await tx.$queryRawUnsafe<Facts[]>(FACTS))[0],
        ),
        'a transaction of the system': await inTransaction(
          database.prisma,
          async (tx) => (await tx.$queryRawUnsafe<Facts[]>(FACTS))[0],
        ),
        'a statement without a scope': (await database.pool.query<Facts>(FACTS)).rows[0],
        'a migration': await database.asOwner(async (owner) => (await owner.query<Facts>(FACTS)).rows[0]),
      };
      await database.close();
      expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, EXPECTED])));
    });

    it('keeps the isolation level that a transaction asks for', async () => {
      const database = await openDatabase(location);
      const { live } = await makeTenant(database.prisma);
      const read = inTransaction(
        scopedDb(database.prisma, live),
        async (tx) => (await tx.$queryRawUnsafe<Facts[]>(FACTS))[0]?.transaction_isolation,
        { isolationLevel: 'RepeatableRead' },
      );
      expect(await read.finally(() => database.close())).toBe('repeatable read');
    });

    it('serves reads, searches and concurrent turns', async () => {
      const service = await startService({ database: location });
      try {
        await use(service);
      } finally {
        await service.close();
      }
    });
  });

  it('does not end a migration by a time limit of the operator', async () => {
    const { location, drop } = await createDatabase();
    const url = location.kind === 'postgresql' ? (location.sessionUrl ?? location.url) : '';
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'];
    const pool = openPool(url, 1);
    for (const name of limits) await pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${name} = '1h'`);
    await pool.end();
    const seen = await asServerOwner(url, async (owner) => {
      const columns = limits.map((name) => `current_setting('${name}') AS "${name}"`).join(', ');
      return (await owner.query<Facts>(`SELECT ${columns}`)).rows[0];
    });
    await drop();
    expect(seen).toEqual(Object.fromEntries(limits.map((name) => [name, '0'])));
  });
});

async function use(service: TestService): Promise<void> {
  const key = service.keys.live;
  const fields = { path: 'C:\\temp\\n', ratio: 0.1234567890123456 };
  const created = await service.send('POST', '/v1/resources', { key, body: { type: 'a', fields } });
  expect(created).toMatchObject({ status: 201, body: { data: { fields } } });
  const list = await service.send('GET', '/v1/resources', { key });
  expect(list.body.data[0]).toMatchObject({ fields, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
  const body = { content: [{ type: 'text', text: 'marmalade' }] };
  const turns = await Promise.all(
    Array.from({ length: TURNS }, () => service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body })),
  );
  expect(turns.map(({ status }) => status)).toEqual(Array.from({ length: TURNS }, () => 200));
  const found = await service.send('POST', '/graphql', {
    key,
    body: { query: '{ conversations(first: 50, filter: { text: "marmalade" }) { nodes { createdAt } } }' },
  });
  expect(found.body).toMatchObject({ data: { conversations: { nodes: { length: TURNS } } } });
}
