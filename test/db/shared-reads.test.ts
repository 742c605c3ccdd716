import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { Ids } from '../../src/db/shared-reads.ts';
import type { Sql } from '../../src/db/sql.ts';
import { makeTenant } from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let copy: TestDatabase;
let database: Database;
let live: Sql;
let test: Sql;
let sent: string[] = [];

beforeAll(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location, (sql) => sent.push(sql));
  const tenant = await makeTenant(database.prisma);
  live = database.sql.within(tenant.live);
  test = database.sql.within(tenant.test);
  for (const [id, { id: environment }] of [
    ['a', tenant.live],
    ['b', tenant.live],
    ['c', tenant.test],
  ] as const) {
    await database.sql.execute`
      INSERT INTO resource (id, environment_id, type, fields, field_labels, created_at, updated_at)
      VALUES (${id}, ${environment}::uuid, 'contact', '{}', '{}', '2026-01-02T03:04:05.006Z', now())`;
  }
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

/** The results of reads that are requested at the same time, and the statements that they took. */
async function together<T>(...reads: (() => Promise<T>)[]): Promise<{ results: T[]; statements: number }> {
  sent = [];
  const results = await Promise.all(reads.map((read) => read()));
  return { results, statements: sent.length };
}

const allOf = (sql: Sql) => () => sql.read<{ id: string }>`SELECT id FROM resource ORDER BY id`;
const oneOf =
  (sql: Sql, ...ids: string[]) =>
  () =>
    sql.read<{ id: string }>`SELECT id FROM resource WHERE id = ANY (${new Ids(ids)}) ORDER BY id`;

describe('reads of the same moment', () => {
  it('share a statement if they are equal', async () => {
    const { results, statements } = await together(allOf(live), allOf(live), allOf(live));
    expect(results).toEqual([
      [{ id: 'a' }, { id: 'b' }],
      [{ id: 'a' }, { id: 'b' }],
      [{ id: 'a' }, { id: 'b' }],
    ]);
    expect(statements).toBe(1);
  });

  it('see a change that was committed before they were requested', async () => {
    await together(allOf(live));
    await database.sql.execute`UPDATE resource SET id = 'd' WHERE id = 'b'`;
    expect((await together(allOf(live))).results).toEqual([[{ id: 'a' }, { id: 'd' }]]);
    await database.sql.execute`UPDATE resource SET id = 'b' WHERE id = 'd'`;
  });

  it('never share the rows of another environment', async () => {
    const { results, statements } = await together(allOf(live), allOf(test));
    expect(results).toEqual([[{ id: 'a' }, { id: 'b' }], [{ id: 'c' }]]);
    expect(statements).toBe(2);
  });

  it('share a statement for several IDs, and each gets only its own rows', async () => {
    const { results, statements } = await together(
      oneOf(live, 'a'),
      oneOf(live, 'b'),
      oneOf(live, 'b', 'a'),
      oneOf(live, 'c'),
    );
    expect(results).toEqual([[{ id: 'a' }], [{ id: 'b' }], [{ id: 'a' }, { id: 'b' }], []]);
    expect(statements).toBe(1);
  });

  it('take another statement if they have too many IDs', async () => {
    const many = Array.from({ length: 999 }, (_, index) => `x${index}`);
    const { results, statements } = await together(oneOf(live, ...many), oneOf(live, 'a', 'b'), oneOf(live, 'b'));
    expect(results).toEqual([[], [{ id: 'a' }, { id: 'b' }], [{ id: 'b' }]]);
    expect(statements).toBe(2);
  });

  it.each([
    ['a number and its text', 1, '1'],
    ['two words and a text with a comma', ['a', 'b'], ['a,b']],
    ['a word and a list of it', 'a', ['a']],
  ])('do not take %s for equal', async (_name, first, second) => {
    const text = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : String(value));
    sent = [];
    const reads = [first, second].map((value) =>
      Array.isArray(value)
        ? live.read<{ value: string }>`SELECT to_json(${value}::text[])::text AS value`
        : live.read<{ value: string }>`SELECT ${value}::text AS value`,
    );
    expect(await Promise.all(reads)).toEqual([[{ value: text(first) }], [{ value: text(second) }]]);
    expect(sent).toHaveLength(2);
  });

  it('all fail with a statement that fails, and later ones do not', async () => {
    const failing = () => live.read`SELECT 1 / (SELECT count(*) - count(*) FROM resource) AS result`;
    const outcomes = await Promise.allSettled([failing(), failing()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await together(allOf(live))).results).toEqual([[{ id: 'a' }, { id: 'b' }]]);
  });
});

describe('a prepared statement', () => {
  it('returns the same rows from its second execution on, which the server does not describe', async () => {
    const read = () => live.rows`
      SELECT id, created_at, 12::int8 AS count, NULL::text AS nothing, '{"a":1}'::jsonb AS json
      FROM resource WHERE id = ${'a'}`;
    const row = {
      id: 'a',
      created_at: new Date('2026-01-02T03:04:05.006Z'),
      count: 12n,
      nothing: null,
      json: { a: 1 },
    };
    for (let execution = 0; execution < 3; execution += 1) expect(await read()).toEqual([row]);
  });

  it('counts its changed rows each time, with and without RETURNING', async () => {
    for (let execution = 0; execution < 3; execution += 1) {
      expect(await live.execute`UPDATE resource SET type = type WHERE id IN (${'a'}, ${'b'})`).toBe(2);
      expect(await live.rows`UPDATE resource SET type = type WHERE id = ${'a'} RETURNING id`).toEqual([{ id: 'a' }]);
    }
  });
});
