import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';

const LIMIT = 1_000;

let service: TestService;
beforeAll(async () => {
  service = await startService({ maxQueryCost: LIMIT });
});
afterAll(() => service.close());

const ASKED = { 'x-query-cost': '1' };

/** The connection, and the items of the page: 1 + 30. */
const QUERY = 'query ($first: Int) { conversations(first: $first) { nodes { name } } }';

const costOf = async (query: string, variables: object = {}) =>
  (await service.graphql(query, variables, { headers: ASKED })).body.extensions?.cost;

describe('X-Query-Cost: 1', () => {
  it.each([
    ['a page', QUERY, { first: 30 }, 1 + 30],
    ['a page of the default size', QUERY, {}, 1 + 20],
    ['a counted list', '{ conversations { totalCount } }', {}, 1 + 10],
    ['a field without objects', '{ __typename }', {}, 0],
    ['nodes', '{ nodes(ids: []) { id } }', {}, 5],
  ])('adds the cost of %s to the response', async (_name, query, variables, requested) => {
    expect(await costOf(query, variables)).toEqual({ requested, limit: LIMIT });
  });

  it('adds the number that the cost limit compares', async () => {
    const { requested } = await costOf(QUERY, { first: 100 });
    const twice =
      'query ($first: Int) { conversations(first: $first) { nodes { history(first: $first) { totalCount } } } }';
    const rejected = await service.graphql(twice, { first: 100 }, { headers: ASKED });
    // Each of the 100 conversations has a connection with a count.
    const total = requested + 100 * (1 + 10);
    expectGraphqlError(rejected, 'invalid_request', { message: `cost is ${total.toLocaleString('en')}.` });
    expect(rejected.body.extensions).toBeUndefined();
  });

  it('adds nothing unless the client requests it', async () => {
    for (const headers of [{}, { 'x-query-cost': '0' }, { 'x-query-cost': 'yes' }]) {
      const { body } = await service.graphql(QUERY, {}, { headers });
      expect(Object.keys(body)).toEqual(['data']);
    }
  });

  it('works by GET, and for a mutation and its replay', async () => {
    const { body } = await service.send('GET', '/graphql?query={__typename}', { headers: ASKED });
    expect(body.extensions).toEqual({ cost: { requested: 0, limit: LIMIT } });
    const create =
      'mutation { createResource(input: { type: "note", fields: {} }) { __typename ... on CreateResourcePayload { resource { id } } ... on Error { code message path } } }';
    const key = { 'idempotency-key': randomUUID() };
    const first = await service.graphql(create, {}, { headers: key });
    expect(first.body.extensions).toBeUndefined();
    const replayed = await service.graphql(create, {}, { headers: { ...key, ...ASKED } });
    expect(replayed.body).toEqual({ ...first.body, extensions: { cost: { requested: 2, limit: LIMIT } } });
  });

  it('adds nothing to a rejected operation', async () => {
    const key = await makeKey(service, { scopes: ['events:read'] });
    const { body } = await service.graphql(QUERY, {}, { key, headers: ASKED });
    expect([body.errors.length, body.extensions]).toEqual([1, undefined]);
  });

  it('adds nothing to a REST response', async () => {
    const { body } = await service.send('GET', '/v1/resources', { headers: ASKED });
    expect(Object.keys(body).sort()).toEqual(['data', 'meta']);
  });

  it('adds the cost to the first event of a subscription only', async () => {
    const feed = await subscribeAsking('subscription { eventAppended { event { type } } }');
    const create = () => service.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } });
    await create();
    await create();
    expect((await feed.next())?.extensions).toEqual({ cost: { requested: 2, limit: LIMIT } });
    expect((await feed.next())?.extensions).toBeUndefined();
    await feed.close();
  });

  it('does not change what other subscribers of the same document receive', async () => {
    const document = 'subscription { eventAppended { event { id } } }';
    const feeds = [await subscribeAsking(document), await subscribe(service, document, {}, service.keys.live)];
    await service.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } });
    const [asked, other] = await Promise.all(feeds.map((feed) => feed.next()));
    expect(other).toEqual({ data: asked.data });
    for (const feed of feeds) await feed.close();
  });

  it('is allowed in requests of pages of other origins', async () => {
    const { headers } = await service.send('OPTIONS', '/graphql', {
      key: null,
      headers: {
        origin: 'https://shop.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-query-cost',
      },
    });
    expect(headers.get('access-control-allow-headers')?.split(',')).toContain('*');
  });
});

const subscribeAsking = (document: string) => subscribe(service, document, {}, service.keys.live, ASKED);
