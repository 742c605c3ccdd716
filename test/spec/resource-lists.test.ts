import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { INTEGERS, NOT_INTEGERS } from '../support/paging-cases.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
/** Newest first. */
let ids: string[];
beforeAll(async () => {
  service = await startService();
  ids = [];
  for (let index = 0; index < 25; index += 1) {
    const fields = { index, even: index % 2 === 0, shape: { a: [index % 3, null], b: 'x' } };
    ids.unshift(await make(index % 5 === 0 ? 'fifth' : 'other', fields));
  }
});
afterAll(() => service.close());

async function make(type: string, fields: object): Promise<string> {
  return (await service.send('POST', '/v1/resources', { body: { type, fields } })).body.data.id;
}

const list = (query = '') => service.send('GET', `/v1/resources?${query}`);
const idsOf = (data: { id: string }[]) => data.map(({ id }) => id);

describe('GET /v1/resources', () => {
  it('returns 20, newest first, in the envelope of data and meta', async () => {
    const { body } = await list();
    expect(idsOf(body.data)).toEqual(ids.slice(0, 20));
    expect(body).toEqual({ data: body.data, meta: { nextCursor: expect.any(String), hasMore: true } });
  });

  it('pages through the whole list by nextCursor and marks its end', async () => {
    const received: string[] = [];
    let cursor = '';
    for (let page = 1; ; page += 1) {
      const { body } = await list(`limit=7${cursor && `&cursor=${cursor}`}`);
      received.push(...idsOf(body.data));
      expect(body.meta.hasMore).toBe(page < 4);
      if (!body.meta.hasMore) {
        expect(body.meta.nextCursor).toBeNull();
        break;
      }
      cursor = body.meta.nextCursor;
    }
    expect(received).toEqual(ids);
  });

  it('filters by type and returns an empty list for an unused type', async () => {
    const { body } = await list('type=fifth&limit=100');
    expect(idsOf(body.data)).toEqual(ids.filter((_, index) => (24 - index) % 5 === 0));
    const empty = await list('type=No-Such');
    expect(empty.body).toEqual({ data: [], meta: { nextCursor: null, hasMore: false } });
  });

  it('keeps a cursor valid when its row is deleted, without shifting or repeating rows', async () => {
    const deletedId = await make('doomed', {});
    const rest = [await make('doomed', {}), await make('doomed', {})];
    const first = await list('type=doomed&limit=2');
    expect(idsOf(first.body.data)).toEqual([rest[1], rest[0]]);
    await service.send('DELETE', `/v1/resources/${rest[0]}`);
    const next = await list(`type=doomed&limit=2&cursor=${first.body.meta.nextCursor}`);
    expect(idsOf(next.body.data)).toEqual([deletedId]);
  });

  it('rejects a cursor of another filter, environment or list, and a changed cursor', async () => {
    const { nextCursor } = (await list('limit=1')).body.meta;
    const results = { param: 'cursor' };
    expectError(await list(`type=fifth&cursor=${nextCursor}`), 'invalid_cursor', results);
    expectError(await list(`cursor=${nextCursor}A`), 'invalid_cursor', results);
    expectError(await list('cursor='), 'invalid_cursor', results);
    expectError(await service.send('GET', `/v1/events?cursor=${nextCursor}`), 'invalid_cursor', results);
    const ofTest = await service.send('GET', `/v1/resources?cursor=${nextCursor}`, { key: service.keys.test });
    expectError(ofTest, 'invalid_cursor', results);
  });

  it('accepts only limits from 1 to 100', async () => {
    const { inRange = [], outOfRange = [] } = INTEGERS.find(({ name }) => name === 'limit') ?? {};
    for (const path of ['/v1/resources', '/v1/events']) {
      for (const limit of inRange) expect((await service.send('GET', `${path}?limit=${limit}`)).status).toBe(200);
      for (const limit of [...outOfRange, ...NOT_INTEGERS]) {
        expectError(await service.send('GET', `${path}?limit=${limit}`), 'invalid_request', { param: 'limit' });
      }
    }
  });
});

const DOCUMENT = `query ($type: String, $field: ResourceFieldFilter, $first: Int, $after: String, $last: Int, $before: String) {
  resources(filter: { type: $type, field: $field }, first: $first, after: $after, last: $last, before: $before) {
    nodes { resourceId fields } edges { cursor } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

describe('the connection resources', () => {
  const send = async (variables: object) => (await service.graphql(DOCUMENT, variables)).body.data.resources;
  const indexes = ({ nodes }: { nodes: { fields: { index: number } }[] }) => nodes.map(({ fields }) => fields.index);

  it.each<[name: string, value: unknown, matches: (index: number) => boolean]>([
    ['index', 7, (index) => index === 7],
    ['even', true, (index) => index % 2 === 0],
    ['shape', { b: 'x', a: [1, null] }, (index) => index % 3 === 1],
    ['shape', { b: 'x' }, () => false],
    ['shape', { b: 'x', a: [null, 1] }, () => false],
    ['index', '7', () => false],
    ['missing', null, () => false],
  ])('filters by the JSON value of %s regardless of key order: %j', async (name, value, matches) => {
    const page = await send({ field: { name, value }, first: 100 });
    const expected = Array.from({ length: 25 }, (_, index) => 24 - index).filter(matches);
    expect([indexes(page), page.totalCount]).toEqual([expected, expected.length]);
  });

  it('distinguishes null from a missing key, also after updates', async () => {
    const id = await make('nullable', { maybe: null });
    await make('nullable', {});
    const match = async (value: unknown) =>
      (await send({ type: 'nullable', field: { name: 'maybe', value } })).nodes.map(
        ({ resourceId }: { resourceId: string }) => resourceId,
      );
    expect(await match(null)).toEqual([id]);
    await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { maybe: 0 } } });
    expect([await match(null), await match(0)]).toEqual([[], [id]]);
  });

  it('pages by field and type in both directions', async () => {
    const filter = { type: 'other', field: { name: 'even', value: true } };
    const all = indexes(await send({ ...filter, first: 100 }));
    const forward = await send({ ...filter, first: 4 });
    expect(indexes(forward)).toEqual(all.slice(0, 4));
    expect(forward.pageInfo).toMatchObject({ hasNextPage: true, endCursor: forward.edges[3].cursor });
    expect(indexes(await send({ ...filter, first: 4, after: forward.pageInfo.endCursor }))).toEqual(all.slice(4, 8));
    expect(indexes(await send({ ...filter, last: 3 }))).toEqual(all.slice(-3));
    expect(indexes(await send({ ...filter, last: 100, before: forward.edges[2].cursor }))).toEqual(all.slice(0, 2));
  });

  it('rejects a value that no field can have, and a cursor of another value', async () => {
    const raw = JSON.stringify({ query: DOCUMENT, variables: { field: { name: 'a', value: [0] } } });
    const response = await service.send('POST', '/graphql', { raw: raw.replace('[0]', '[1e999]') });
    expectGraphqlError(response, 'invalid_request', { param: 'field.value[0]' });
    const { pageInfo } = await send({ field: { name: 'even', value: true }, first: 1 });
    const other = await service.graphql(DOCUMENT, { field: { name: 'even', value: false }, after: pageInfo.endCursor });
    expectGraphqlError(other, 'invalid_cursor', { param: 'after' });
  });
});
