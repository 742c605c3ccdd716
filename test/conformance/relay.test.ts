import { type GraphQLObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { CONNECTION_ROWS } from '../support/relay-connections.ts';
import { type ConnectionReader, type Page, readerOf } from '../support/relay-reader.ts';
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

const objects = Object.values(publicSchema.getTypeMap()).filter((type): type is GraphQLObjectType =>
  isObjectType(type),
);

const fields = objects.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) => {
    const of = String(field.type).replaceAll('!', '');
    return isConnection({ name: of }) ? [{ name: `${type.name}.${field.name}`, of, field }] : [];
  }),
);

async function seededReader(name: string): Promise<ConnectionReader> {
  const row = CONNECTION_ROWS[name];
  if (!row) throw new Error(`${name} has no row`);
  return readerOf(service, name, row, await row.seed(service, owner), row.session ? owner : service.keys.live);
}

/** One field of each type of connection. The fields of a type differ in their rows, and share the code of their pages. */
const SAMPLES = new Map(fields.toReversed().map(({ of, name }) => [of, name]));
const isSample = (name: string) => [...SAMPLES.values()].includes(name);

const cursors = new Map<string, Promise<string>>();

/** A cursor of a list, read once. */
function cursorOf(name: string): Promise<string> {
  const read = async () => (await (await seededReader(name)).page({ first: 1 })).cursors[0] ?? '';
  const cursor = cursors.get(name) ?? read();
  cursors.set(name, cursor);
  return cursor;
}

const itemsOf = (pages: readonly Page[]) => pages.flatMap(({ items }) => items);

describe('Relay: the connections of the schema', () => {
  it('match the rows of the table', () => {
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(CONNECTION_ROWS).sort());
  });

  it('are named after their items, not their location', () => {
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
      const edge = publicSchema.getType(type.name.replace(/Connection$/, 'Edge')) as GraphQLObjectType;
      expect(String(edge.getFields().cursor?.type)).toBe('String!');
      expect(String(own.nodes?.type)).toBe(`[${edge.getFields().node?.type}]!`);
    }
  });
});

describe.each(Object.keys(CONNECTION_ROWS))('Relay: %s', (name) => {
  let list: ConnectionReader;
  let all: Page;
  beforeAll(async () => {
    list = await seededReader(name);
    all = await list.page({ first: 100 });
    expect(all.items.length).toBeGreaterThanOrEqual(5);
  });

  const cursorAt = (index: number): string => all.cursors.at(index) ?? '';
  /** A page size that reads the list in at most seven pages: some lists also have the items of other rows. */
  const pageSize = () => Math.max(2, Math.ceil(all.items.length / 7));

  it('returns the same order by first and by last', async () => {
    expect((await list.page({ last: 100 })).items).toEqual(all.items);
  });

  it('returns every item once, from the start by first and after', async () => {
    const pages = await list.walk('first', pageSize());
    expect(itemsOf(pages)).toEqual(all.items);
    expect(new Set(all.items).size).toBe(all.items.length);
  });

  it('returns every item once, from the end by last and before', async () => {
    const pages = await list.walk('last', pageSize());
    expect(itemsOf(pages.toReversed())).toEqual(all.items);
  });

  it("rejects another list's cursor", async () => {
    const foreign = name === 'Query.workflows' ? 'Query.conversations' : 'Query.workflows';
    const after = await cursorOf(foreign);
    expectGraphqlError(await list.send({ first: 1, after }), 'invalid_cursor', { param: 'after' });
  });

  if (!isSample(name)) return;

  it('returns nodes in the order of edges, each with its own cursor', async () => {
    expect(all.nodes).toEqual(all.items);
    expect(new Set(all.cursors).size).toBe(all.items.length);
    for (const cursor of all.cursors) expect(cursor).toEqual(expect.any(String));
  });

  it('returns the same cursor of an item on every page', async () => {
    for (const { items, cursors } of await list.walk('last', pageSize())) {
      for (const index of [0, items.length - 1]) {
        expect((await list.page({ first: 1, after: cursors[index] ?? '' })).items[0]).toBe(
          all.items[all.items.indexOf(items[index] ?? '') + 1],
        );
      }
    }
  });

  it('starts at startCursor and ends at endCursor', async () => {
    const page = await list.page({ first: 2, after: cursorAt(0) });
    expect(page.pageInfo).toMatchObject({ startCursor: page.cursors[0], endCursor: page.cursors[1] });
  });

  it('returns the items between after and before, by first and by last', async () => {
    const between = { after: cursorAt(0), before: cursorAt(4) };
    expect((await list.page({ first: 100, ...between })).items).toEqual(all.items.slice(1, 4));
    expect((await list.page({ first: 2, ...between })).items).toEqual(all.items.slice(1, 3));
    expect((await list.page({ last: 2, ...between })).items).toEqual(all.items.slice(2, 4));
    expect((await list.page({ first: 5, after: cursorAt(1), before: cursorAt(2) })).items).toEqual([]);
    expect((await list.page({ first: 5, after: cursorAt(3), before: cursorAt(1) })).items).toEqual([]);
  });

  it('returns whether there are more items in both directions with first', async () => {
    const { pageInfo } = await list.page({ first: 2 });
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect((await list.page({ first: 1, after: cursorAt(0) })).pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect((await list.page({ first: 100 })).pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    expect((await list.page({ first: 1, after: cursorAt(-2) })).pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: true,
    });
  });

  it('returns whether there are more items in both directions with last', async () => {
    expect((await list.page({ last: 2 })).pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect((await list.page({ last: 1, before: cursorAt(-1) })).pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect((await list.page({ last: 1, before: cursorAt(1) })).pageInfo).toMatchObject({
      hasNextPage: true,
      hasPreviousPage: false,
    });
  });

  it('is empty after its last item and before its first', async () => {
    for (const paging of [
      { first: 5, after: cursorAt(-1) },
      { last: 5, before: cursorAt(0) },
    ]) {
      expect(await list.page(paging)).toMatchObject({
        items: [],
        nodes: [],
        pageInfo: { startCursor: null, endCursor: null },
      });
    }
  });

  it('returns at most 20 items by default', async () => {
    const { items } = (await list.page({})) satisfies Page;
    expect(items).toEqual(all.items.slice(0, 20));
  });

  it('rejects first together with last', async () => {
    expectGraphqlError(await list.send({ first: 1, last: 1 }), 'invalid_request', { param: 'last' });
  });

  it.each([0, -1, -100, 101, 2 ** 31 - 1])('rejects %i as first and as last', async (size) => {
    for (const param of ['first', 'last']) {
      const message = `${param} must be from 1 to 100`;
      expectGraphqlError(await list.send({ [param]: size }), 'invalid_request', { param, message });
    }
  });

  it('rejects invalid cursors', async () => {
    for (const cursor of ['', 'abc', `${cursorAt(0)}A`, cursorAt(0).slice(1), 'YXJyYXljb25uZWN0aW9uOjA=']) {
      for (const param of ['after', 'before']) {
        expectGraphqlError(await list.send({ first: 1, [param]: cursor }), 'invalid_cursor', { param });
      }
    }
  });

  it('counts its items only if requested', async () => {
    // The webhook dispatcher runs at the same time, with statements that also count.
    const isCount = (sql: string) => /^SELECT COUNT\(/i.test(sql) && sql.includes(list.row.table);
    const counts = () => service.takeStatements().filter(isCount);
    await list.send({ first: 1 });
    counts();
    await list.page({ first: 1 });
    expect(counts()).toEqual([]);
    const { body } = await list.send({ first: 1 }, 'totalCount');
    expect(JSON.stringify(body)).toMatch(/"totalCount":\d+/);
    const total = Number(/"totalCount":(\d+)/.exec(JSON.stringify(body))?.[1]);
    expect(total).toBe((await list.page({ first: 100 })).items.length);
    expect(counts().length).toBeLessThanOrEqual(1);
  });
});

describe.each(Object.keys(CONNECTION_ROWS))('Relay: %s while its rows change', (name) => {
  it('continues after a deleted item', async () => {
    const list = await seededReader(name);
    const all = await list.page({ first: 100 });
    await list.deleteItem(all.items[2] ?? '');
    expect((await list.page({ first: 100 })).items).not.toContain(all.items[2]);
    expect((await list.page({ first: 1, after: all.cursors[2] ?? '' })).items).toEqual([all.items[3]]);
    expect((await list.page({ last: 1, before: all.cursors[2] ?? '' })).items).toEqual([all.items[1]]);
  });

  it.runIf(CONNECTION_ROWS[name]?.sortedBy)('has a stable order if sort values are equal', async () => {
    const list = await seededReader(name);
    await list.equalizeSortValues();
    const items = itemsOf(await list.walk('first', 50));
    expect(items.length).toBeGreaterThanOrEqual(5);
    const size = Math.max(2, Math.ceil(items.length / 7));
    expect(itemsOf(await list.walk('first', size))).toEqual(items);
    expect(itemsOf((await list.walk('last', size)).toReversed())).toEqual(items);
  });
});

describe('Relay: a list without items', () => {
  let empty: TestService;
  beforeAll(async () => {
    empty = await startService();
  });
  afterAll(() => empty.close());

  const rows = Object.entries(CONNECTION_ROWS).filter(([name, { neverEmpty }]) => isSample(name) && !neverEmpty);

  it.each(rows)('is empty: %s', async (name, row) => {
    const session = await openSession(empty, 'owner');
    const location = await row.seed(empty, session);
    const list = readerOf(empty, name, row, location, row.session ? session : empty.keys.live);
    await list.deleteAll();
    for (const paging of [{}, { first: 5 }, { last: 5 }]) {
      expect(await list.page(paging)).toEqual({
        items: [],
        nodes: [],
        cursors: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      });
    }
  });
});
