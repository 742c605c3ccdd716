import { __Schema, type GraphQLField, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
});
afterAll(() => service.close());

interface Options {
  readonly variables?: object;
  readonly key?: string | null;
}

/** Each test has an address of its own, because limits count by address. */
const ask = (query: string, address: string, { variables = {}, key = null }: Options = {}) =>
  service.send('POST', '/graphql', {
    body: { query, variables },
    key,
    headers: { 'x-forwarded-for': address, 'x-query-cost': '1' },
  });

function objectsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + objectsIn(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + objectsIn(item), 1);
}

const aliased = (count: number) =>
  `{ __schema { types { ${Array.from({ length: count }, (_, i) => `a${i}: fields { type { ofType { fields { name } } } }`).join(' ')} } } }`;

describe('introspection', () => {
  it.each([
    ['the whole schema', getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true })],
    ['one type', '{ __type(name: "Conversation") { fields { name type { ofType { name } } } } }'],
    ['a fragment', '{ ...S } fragment S on Query { __schema { directives { args { type { name } } } } }'],
  ])('costs as many objects as it returns: %s', async (_name, query) => {
    const { body } = await ask(query, '10.1.0.1');
    expect(body.errors).toBeUndefined();
    // The result itself is no object that a field returns.
    expect(body.extensions.cost.requested).toBe(objectsIn(body.data) - 1);
  });

  it('rejects a document that describes the schema several times, before it is executed', async () => {
    const { body } = await ask(aliased(80), '10.1.0.2');
    expect(body.errors[0].message).toMatch(/cost is [\d,]+\. The maximum is 20,000/);
  });

  it('depends on the variables', async () => {
    const query = 'query ($name: String!) { __type(name: $name) { name } }';
    const names = ['Conversation', 'Resource'];
    const results = names.map(async (name) => (await ask(query, '10.1.0.5', { variables: { name } })).body.data);
    expect(await Promise.all(results)).toEqual(names.map((name) => ({ __type: { name } })));
  });

  it('counts what must be computed, by address', async () => {
    const { points } = RATE_LIMITS.introspections;
    const distinct = (index: number) => `{ t${index}: __type(name: "Query") { name } }`;
    for (let index = 0; index < points; index += 1) {
      expect((await ask(distinct(index), '10.1.0.3')).status).toBe(200);
    }
    for (const more of [
      distinct(points),
      '{ __schema { queryType { name } } resources { totalCount } }',
      'query ($on: Boolean!) { __schema { queryType { name @include(if: $on) } } }',
      '{ ...F } fragment F on Query { __schema { mutationType { name } } }',
    ]) {
      const limited = await ask(more, '10.1.0.3', { variables: { on: true }, key: service.keys.live });
      expect(limited.body.errors[0].extensions.code, more).toBe('RATE_LIMITED');
    }
    const known = [`${distinct(points - 1)} # another comment`, distinct(points - 2).replaceAll(' ', '\n')];
    for (const query of known) expect((await ask(query, '10.1.0.3')).status).toBe(200);
    expect((await ask(distinct(points), '10.1.0.4')).status).toBe(200);
  });

  it('lets other work continue while it describes the schema', async () => {
    const { resolve } = __Schema.getFields().types as GraphQLField<unknown, unknown>;
    const types = resolve?.(publicSchema, {}, {}, { schema: publicSchema } as never) as Promise<unknown>[];
    let rounds = 0;
    let isOver = false;
    const count = () => {
      rounds += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(types);
    isOver = true;
    expect(types.length).toBeGreaterThan(500);
    // 20 types in each round of the event loop.
    expect(rounds).toBeGreaterThanOrEqual(Math.floor(types.length / 20));
  });
});
