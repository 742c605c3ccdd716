import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client/core';
import { CombinedGraphQLErrors, CombinedProtocolErrors } from '@apollo/client/errors';
import { createFetchMultipartSubscription } from '@apollo/client/utilities/subscriptions/relay';
import { parse } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { graphText } from '../support/graph-content.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { FEED } from './documents.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const clients: ApolloClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.stop();
});

/** Apollo Client with only its own HTTP link. */
function apolloOf(key = service.keys.live): ApolloClient {
  const link = new HttpLink({ uri: `${service.url}/graphql`, headers: { authorization: `Bearer ${key}` } });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  clients.push(client);
  return client;
}

const openSubscriptions = async () =>
  Number(/^parley_subscriptions (\d+)$/m.exec((await service.send('GET', '/metrics')).body)?.[1]);

const create = async () =>
  (await service.send('POST', '/v1/resources', { body: { type: 'thing', fields: {} } })).body.data.id as string;

const CHANGES = parse('subscription ($id: ID!) { conversationChanged(conversationId: $id) { cursor } }');
const REPLY = parse(`subscription ($input: SendMessageInput!) {
  replyStream(input: $input) { event } }`);

describe("Apollo Client's HTTP link", () => {
  it('subscribes without a further link, and unsubscribes', async () => {
    const received: unknown[] = [];
    const feed = apolloOf()
      .subscribe({ query: FEED })
      .subscribe(({ data }) => received.push(data?.eventAppended.event.resourceId));
    await until(async () => (await openSubscriptions()) === 1);
    const ids = [await create(), await create()];
    await until(async () => received.length === 2);
    expect(received).toEqual(ids);
    feed.unsubscribe();
    await until(async () => (await openSubscriptions()) === 0);
  });

  it('completes when the stream does', async () => {
    const events: unknown[] = [];
    const input = { content: graphText('Hello') };
    await new Promise<void>((complete, error) => {
      apolloOf()
        .subscribe({ query: REPLY, variables: { input: { deploymentId: DEMO_CHAT_ID, ...input } } })
        .subscribe({ next: ({ data }) => events.push(data), complete, error });
    });
    expect(events.at(0)).toMatchObject({ replyStream: { event: 'START' } });
    expect(events.at(-1)).toMatchObject({ replyStream: { event: 'DONE' } });
  });

  it('reports the error of a failed subscription as a protocol error', async () => {
    const { body } = await service.chat('Hello');
    const variables = { id: body.conversation_id };
    const failed = new Promise((resolve) => {
      apolloOf()
        .subscribe({ query: CHANGES, variables, fetchPolicy: 'no-cache' })
        .subscribe(({ error }) => error && resolve(error));
    });
    await until(async () => (await openSubscriptions()) === 1);
    const remove =
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }';
    await service.graphql(remove, variables);
    const error = await failed;
    expect(CombinedProtocolErrors.is(error)).toBe(true);
    expect((error as CombinedProtocolErrors).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });

  it('reports the error of a rejected subscription', async () => {
    const error = await new Promise((resolve) => {
      apolloOf('sk_live_wrong')
        .subscribe({ query: FEED })
        .subscribe((result) => resolve(result.error));
    });
    expect(CombinedGraphQLErrors.is(error)).toBe(true);
    expect((error as CombinedGraphQLErrors).errors).toMatchObject([{ extensions: { code: 'UNAUTHORIZED' } }]);
  });
});

describe("Apollo's adapter for Relay", () => {
  it('subscribes', async () => {
    const headers = { authorization: `Bearer ${service.keys.live}` };
    const subscribe = createFetchMultipartSubscription(`${service.url}/graphql`, { headers });
    const received: unknown[] = [];
    const operation = { name: 'Feed', text: 'subscription Feed { eventAppended { event { resourceId } } }' };
    const feed = subscribe(operation as never, {}).subscribe({ next: (result) => void received.push(result) });
    await until(async () => (await openSubscriptions()) === 1);
    const resourceId = await create();
    await until(async () => received.length === 1);
    expect(received).toEqual([{ data: { eventAppended: { event: { resourceId } } } }]);
    feed.unsubscribe();
    await until(async () => (await openSubscriptions()) === 0);
  });
});
