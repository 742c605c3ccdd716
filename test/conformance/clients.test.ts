import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client/core';
import { fetchExchange, subscriptionExchange, Client as UrqlClient } from '@urql/core';
import { EventSource } from 'eventsource';
import type { ResultOf } from 'gql.tada';
import { isAbstractType, OperationTypeNode, print } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import type { EnumName } from '../../src/contract/enum-names.ts';
import type { EventType } from '../../src/contract/statuses.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { CREATE, createdResource, FEED, RESOURCES } from './documents.ts';

type Created = ReturnType<typeof createdResource>;

let service: TestService;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  headers = { authorization: `Bearer ${service.keys.live}` };
});
afterAll(() => service.close());

/** The types of each interface and union, as Apollo Client needs them for inline fragments. */
const possibleTypes = Object.fromEntries(
  Object.values(publicSchema.getTypeMap())
    .filter(isAbstractType)
    .map((type) => [type.name, publicSchema.getPossibleTypes(type).map(({ name }) => name)]),
);

const INPUT = { type: 'thing', fields: { color: 'red' } };

const endpoint = () => `${service.url}/graphql`;

const sse = () => createClient({ url: endpoint(), headers, retryAttempts: 0 });

const subscriptions = async () =>
  Number(/^parley_subscriptions (\d+)$/m.exec((await service.send('GET', '/metrics')).body)?.[1]);

/** Waits until a subscription is open, so that it receives later resources. */
let before: number;
beforeEach(async () => {
  before = await subscriptions();
});
const opened = () => until(async () => (await subscriptions()) === before + 1);

const create = async () => (await service.send('POST', '/v1/resources', { body: INPUT })).body.data.id as string;

describe('gql.tada', () => {
  it('has the types of documents from the schema', () => {
    expectTypeOf<Created['resourceId']>().toEqualTypeOf<string>();
    expectTypeOf<ResultOf<typeof RESOURCES>['resources']['totalCount']>().toEqualTypeOf<number>();
    expectTypeOf<ResultOf<typeof FEED>['eventAppended']['event']['type']>().toEqualTypeOf<EnumName<EventType>>();
    // @ts-expect-error: there is no such field
    expectTypeOf<Created['nope']>().toEqualTypeOf<never>();
  });
});

describe('urql', () => {
  it('mutates, queries and subscribes', async () => {
    const events = sse();
    const urql = new UrqlClient({
      url: endpoint(),
      preferGetMethod: false,
      fetchOptions: { headers },
      exchanges: [
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query, variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: events.subscribe({ query: query ?? '', ...(variables && { variables }) }, sink as never),
            }),
          }),
        }),
      ],
    });
    const results: unknown[] = [];
    const feed = urql
      .subscription(FEED, {})
      .subscribe(({ data }) => results.push(data?.eventAppended.event.resourceId));
    await opened();
    const created = await urql.mutation(CREATE, { input: INPUT }).toPromise();
    const resourceId = createdResource(created.data).resourceId;
    expect(resourceId).toMatch(/^res_/);
    await until(async () => results.includes(resourceId));
    feed.unsubscribe();
    const { data } = await urql.query(RESOURCES, { first: 1 }).toPromise();
    expect(data?.resources.edges[0]?.node.resourceId).toBe(resourceId);
    const rejected = await urql.query(RESOURCES, { first: 101 }).toPromise();
    expect(rejected.error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST', param: 'first' });
  });

  it('queries by GET', async () => {
    const urql = new UrqlClient({
      url: endpoint(),
      preferGetMethod: 'force',
      fetchOptions: { headers },
      exchanges: [fetchExchange],
    });
    const { data, error } = await urql.query(RESOURCES, { first: 1 }).toPromise();
    expect([error, data?.resources.edges.length]).toEqual([undefined, 1]);
  });
});

describe('Apollo Client', () => {
  it('mutates, queries, and subscribes through graphql-sse', async () => {
    const events = sse();
    const overEvents = new ApolloLink(
      ({ query, variables, operationName }) =>
        new Observable((sink) =>
          events.subscribe({ query: print(query), variables, ...(operationName && { operationName }) }, sink as never),
        ),
    );
    const link = ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      overEvents,
      new HttpLink({ uri: endpoint(), headers }),
    );
    const apollo = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) });
    const results: unknown[] = [];
    const feed = apollo
      .subscribe({ query: FEED })
      .subscribe(({ data }) => results.push(data?.eventAppended.event.resourceId));
    await opened();
    const { data: created } = await apollo.mutate({ mutation: CREATE, variables: { input: INPUT } });
    const resourceId = createdResource(created).resourceId;
    await until(async () => results.includes(resourceId));
    feed.unsubscribe();
    const { data } = await apollo.query({ query: RESOURCES, variables: { first: 1 } });
    expect(data?.resources.edges[0]?.node.resourceId).toBe(resourceId);
    const failed = apollo.query({ query: RESOURCES, variables: { first: 0 } });
    await expect(failed).rejects.toMatchObject({
      errors: [{ extensions: { code: 'INVALID_REQUEST', param: 'first' } }],
    });
  });
});

describe('graphql-request', () => {
  it('mutates and queries, with the types of its documents', async () => {
    const client = new GraphQLClient(endpoint(), { headers });
    const { resourceId } = createdResource(await client.request(CREATE, { input: INPUT }));
    const { resources } = await client.request(RESOURCES, { first: 1 });
    expect(resources.edges[0]?.node).toMatchObject({ resourceId, fields: INPUT.fields });
    const rejected = await client.request(RESOURCES, { first: -1 }).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(ClientError);
    expect((rejected as ClientError).response.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('EventSource', () => {
  it('reads a subscription by GET and continues after its last event', async () => {
    const url = `${endpoint()}?query=${encodeURIComponent(print(FEED))}`;
    const results: string[] = [];
    const ids: string[] = [];
    const lastEventIds: (string | null)[] = [];
    let cut = () => {};
    const source = new EventSource(url, {
      fetch(input, init) {
        const received = new Headers(init.headers);
        lastEventIds.push(received.get('last-event-id'));
        const abort = new AbortController();
        // Simulates a broken connection.
        cut = () => abort.abort(new TypeError('terminated'));
        const signal = AbortSignal.any([abort.signal, ...(init.signal ? [init.signal as AbortSignal] : [])]);
        return fetch(input, {
          ...(init as RequestInit),
          headers: { ...Object.fromEntries(received), ...headers },
          signal,
        });
      },
    });
    source.addEventListener('next', ({ data, lastEventId }) => {
      results.push(JSON.parse(data).data.eventAppended.event.resourceId);
      ids.push(lastEventId);
    });
    await opened();
    const first = await create();
    await until(async () => results.length === 1);
    cut();
    const second = await create();
    await until(async () => results.length === 2, { everyMs: 50 });
    source.close();
    expect(results).toEqual([first, second]);
    expect(lastEventIds).toEqual([null, ids[0]]);
  });
});
