import { type GraphQLObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { type ConnectionReader, type Page, readerOf } from '../support/relay-reader.ts';
import { CONNECTION_ROWS } from '../support/relay-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let owner: string;
beforeAll(async () => {
  service = await startService();
  owner = await openSession(service, 'owner');
});
afterAll(() => service.close());

const isConnection = ({ name }: { readonly name: string }) => name.endsWith('Connection');

const objects = Object.values(schema.getTypeMap()).filter((type): type is GraphQLObjectType => isObjectType(type));

const fields = objects.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) => {
    const of = String(field.type).replaceAll('!', '');
    return isConnection({ name: of }) ? [{ name: `${type.name}.${field.name}`, of, field }] : [];
  }),
);

async function seeded(name: string): Promise<ConnectionReader> {
  const row = CONNECTION_ROWS[name];
  if (!row) throw new Error(`${name} has no row`);
  return readerOf(service, name, row, await row.seed(service, owner), row.session ? owner : service.keys.live);
}

const itemsOf = (pages: readonly Page[]) => pages.flatMap(({ items }) => items);

describe('Relay: the connections of the schema', () => {
  it('are all in the table, and nothing else is', () => {
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(CONNECTION_ROWS).sort());
  });

  it('are called by what they hold, and not by where they stand', () => {
    for (const { of, name } of fields)
      expect([name, of]).toEqual([name, expect.not.stringMatching(/^(Query|Mutation)|ConnectionEdge/)]);
    for (const type of objects.filter(isConnection)) {
      const edges = type.getFields().edges;
      expect(String(edges?.type)).toBe(`[${type.name.replace(/Connection$/, 'Edge')}!]!`);
    }
  });

  it.each(fields.map(({ name, field }) => [name, field] as const))(
    '%s takes first, after, last and before',
    (_name, field) => {
      const types = Object.fromEntries(field.args.map(({ name, type }) => [name, String(type)]));
      expect(types).toMatchObject({ first: 'Int', after: 'String', last: 'Int', before: 'String' });
    },
  );

  it('have cursors that are strings, nodes, and a PageInfo', () => {
    for (const type of objects.filter(isConnection)) {
      const own = type.getFields();
      expect(String(own.pageInfo?.type)).toBe('PageInfo!');
      expect(String(own.totalCount?.type)).toBe('Int!');
      const edge = schema.getType(type.name.replace(/Connection$/, 'Edge')) as GraphQLObjectType;
      expect(String(edge.getFields().cursor?.type)).toBe('String!');
      expect(String(own.nodes?.type)).toBe(`[${edge.getFields().node?.type}]!`);
    }
  });
});

describe.each(Object.keys(CONNECTION_ROWS))('Relay: %s', (name) => {
  let list: ConnectionReader;
  let all: Page;
  beforeAll(async () => {
    list = await seeded(name);
    all = await list.page({ first: 100 });
    expect(all.items.length).toBeGreaterThanOrEqual(5);
  });

  const at = (index: number): string => all.cursors.at(index) ?? '';

  it('gives the same order by first and by last', async () => {
    expect((await list.page({ last: 100 })).items).toEqual(all.items);
  });

  it('gives every item once, from the start by first and after', async () => {
    const pages = await list.walk('first', 2);
    expect(itemsOf(pages)).toEqual(all.items);
    expect(new Set(all.items).size).toBe(all.items.length);
  });

  it('gives every item once, from the end by last and before', async () => {
    const pages = await list.walk('last', 2);
    expect(itemsOf(pages.toReversed())).toEqual(all.items);
  });

  it('gives nodes in the order of edges, and a cursor of its own to each', async () => {
    expect(all.nodes).toEqual(all.items);
    expect(new Set(all.cursors).size).toBe(all.items.length);
    for (const cursor of all.cursors) expect(cursor).toEqual(expect.any(String));
  });

  it('gives a cursor of an item that is the same on every page', async () => {
    for (const page of await list.walk('last', 2)) {
      for (const [index, item] of page.items.entries()) {
        expect((await list.page({ first: 1, after: page.cursors[index] ?? '' })).items[0]).toBe(
          all.items[all.items.indexOf(item) + 1],
        );
      }
    }
  });

  it('starts at startCursor and ends at endCursor', async () => {
    const page = await list.page({ first: 2, after: at(0) });
    expect(page.pageInfo).toMatchObject({ startCursor: page.cursors[0], endCursor: page.cursors[1] });
  });

  it('gives what lies between after and before, by first and by last', async () => {
    const between = { after: at(0), before: at(4) };
    expect((await list.page({ first: 100, ...between })).items).toEqual(all.items.slice(1, 4));
    expect((await list.page({ first: 2, ...between })).items).toEqual(all.items.slice(1, 3));
    expect((await list.page({ last: 2, ...between })).items).toEqual(all.items.slice(2, 4));
    expect((await list.page({ first: 5, after: at(1), before: at(2) })).items).toEqual([]);
    expect((await list.page({ first: 5, after: at(3), before: at(1) })).items).toEqual([]);
  });

  it('tells by first whether there is more ahead and behind', async () => {
    const { pageInfo } = await list.page({ first: 2 });
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect((await list.page({ first: 1, after: at(0) })).pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect((await list.page({ first: 100 })).pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    expect((await list.page({ first: 1, after: at(-2) })).pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: true,
    });
  });

  it('tells by last whether there is more ahead and behind', async () => {
    expect((await list.page({ last: 2 })).pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect((await list.page({ last: 1, before: at(-1) })).pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect((await list.page({ last: 1, before: at(1) })).pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: false,
    });
  });

  it('is empty after its last item and before its first', async () => {
    for (const paging of [
      { first: 5, after: at(-1) },
      { last: 5, before: at(0) },
    ]) {
      expect(await list.page(paging)).toMatchObject({
        items: [],
        nodes: [],
        pageInfo: { startCursor: null, endCursor: null },
        nextCursor: null,
      });
    }
  });

  it('gives as nextCursor what leads on, and null at the end', async () => {
    expect((await list.page({ first: 2 })).nextCursor).toBe(at(1));
    expect((await list.page({ last: 2 })).nextCursor).toBe(at(-2));
    expect(all.nextCursor).toBeNull();
  });

  it('gives at most 20 items where nobody says how many', async () => {
    const { items } = (await list.page({})) satisfies Page;
    expect(items).toEqual(all.items.slice(0, 20));
  });

  it('refuses first beside last', async () => {
    expectGraphqlError(await list.ask({ first: 1, last: 1 }), 'invalid_request', { param: 'last' });
  });

  it.each([0, -1, -100, 101, 2 ** 31 - 1])('refuses %i as first and as last', async (size) => {
    for (const param of ['first', 'last']) {
      const message = `${param} must be from 1 to 100`;
      expectGraphqlError(await list.ask({ [param]: size }), 'invalid_request', { param, message });
    }
  });

  it('refuses cursors that are none', async () => {
    for (const cursor of ['', 'abc', `${at(0)}A`, at(0).slice(1), 'YXJyYXljb25uZWN0aW9uOjA=']) {
      for (const param of ['after', 'before']) {
        expectGraphqlError(await list.ask({ first: 1, [param]: cursor }), 'invalid_cursor', { param });
      }
    }
  });

  it("refuses another list's cursor", async () => {
    const foreign = name === 'Query.workflows' ? 'Query.conversations' : 'Query.workflows';
    const { cursors } = await (await seeded(foreign)).page({ first: 1 });
    expectGraphqlError(await list.ask({ first: 1, after: cursors[0] ?? '' }), 'invalid_cursor', { param: 'after' });
  });

  it('counts its items when asked, and only then', async () => {
    // Webhooks are dispatched beside this, by statements that count in passing.
    const isCount = (sql: string) => /^SELECT COUNT\(/i.test(sql) && sql.includes(list.row.table);
    const counts = () => service.takeStatements().filter(isCount);
    await list.ask({ first: 1 });
    counts();
    await list.page({ first: 1 });
    expect(counts()).toEqual([]);
    const { body } = await list.ask({ first: 1 }, 'totalCount');
    expect(JSON.stringify(body)).toMatch(/"totalCount":\d+/);
    const total = Number(/"totalCount":(\d+)/.exec(JSON.stringify(body))?.[1]);
    expect(total).toBe((await list.page({ first: 100 })).items.length);
    expect(counts().length).toBeLessThanOrEqual(1);
  });
});

describe.each(Object.keys(CONNECTION_ROWS))('Relay: %s, as its rows change', (name) => {
  it('goes on from an item that was deleted', async () => {
    const list = await seeded(name);
    const all = await list.page({ first: 100 });
    await list.drop(all.items[2] ?? '');
    expect((await list.page({ first: 100 })).items).not.toContain(all.items[2]);
    expect((await list.page({ first: 1, after: all.cursors[2] ?? '' })).items).toEqual([all.items[3]]);
    expect((await list.page({ last: 1, before: all.cursors[2] ?? '' })).items).toEqual([all.items[1]]);
  });

  it.runIf(CONNECTION_ROWS[name]?.sortedBy)('has one order where what it is sorted by is the same', async () => {
    const list = await seeded(name);
    await list.tie();
    const { items } = await list.page({ first: 100 });
    expect(items.length).toBeGreaterThanOrEqual(5);
    expect(itemsOf(await list.walk('first', 2))).toEqual(items);
    expect(itemsOf((await list.walk('last', 2)).toReversed())).toEqual(items);
  });
});

describe('Relay: a list without items', () => {
  let empty: TestService;
  beforeAll(async () => {
    empty = await startService();
  });
  afterAll(() => empty.close());

  const rows = Object.entries(CONNECTION_ROWS).filter(([, { neverEmpty }]) => !neverEmpty);

  it.each(rows)('is empty: %s', async (name, row) => {
    const session = await openSession(empty, 'owner');
    const place = await row.seed(empty, session);
    const list = readerOf(empty, name, row, place, row.session ? session : empty.keys.live);
    await list.clear();
    for (const paging of [{}, { first: 5 }, { last: 5 }]) {
      expect(await list.page(paging)).toEqual({
        items: [],
        nodes: [],
        cursors: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
        nextCursor: null,
      });
    }
  });
});
