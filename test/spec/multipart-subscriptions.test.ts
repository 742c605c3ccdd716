import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { graphText } from '../support/graph-content.ts';
import { ACCEPT_MULTIPART, type Part, partsOf } from '../support/multipart.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FEED = 'subscription { eventAppended { event { resourceId } } }';
const REPLY = `subscription ($input: SendMessageInput!) {
  replyStream(input: $input) { event } }`;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function open(accept: string, query = FEED, variables: object = {}, headers: object = {}): Promise<Response> {
  const abort = new AbortController();
  closing.push(() => abort.abort());
  return fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.keys.live}`,
      'content-type': 'application/json',
      accept,
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
    signal: abort.signal,
  });
}

const reply = (headers: object = {}) => {
  const input = { content: graphText('Hello') };
  return open(ACCEPT_MULTIPART, REPLY, { input: { deploymentId: DEMO_CHAT_ID, ...input } }, headers);
};

async function allParts(response: Response): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of partsOf(response)) parts.push(part);
  return parts;
}

const CONTENT_TYPE = 'multipart/mixed;boundary="graphql";subscriptionSpec="1.0"';

describe('the Accept header of a subscription', () => {
  it.each([
    [
      'Apollo Client',
      'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9',
    ],
    ['Apollo Router', 'application/json, multipart/mixed;subscriptionSpec="1.0"'],
    ['spaces and upper case', 'Multipart/Mixed; Boundary="x"; SubscriptionSpec = 1.0 ;q=0.5'],
    ['several multipart protocols', 'multipart/mixed;deferSpec=20220824, multipart/mixed;subscriptionSpec=1.0'],
    ['a higher weight than server-sent events', 'text/event-stream;q=0.5, multipart/mixed;subscriptionSpec=1.0'],
    ['the first place', 'multipart/mixed;subscriptionSpec=1.0, text/event-stream'],
  ])('selects the multipart protocol with %s', async (_name, accept) => {
    const { status, headers } = await open(accept);
    expect([status, headers.get('content-type')]).toEqual([200, CONTENT_TYPE]);
    expect(headers.get('cache-control')).toContain('no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
  });

  it.each([
    ['the first place', 'text/event-stream, multipart/mixed;subscriptionSpec=1.0'],
    ['a higher weight', 'multipart/mixed;subscriptionSpec=1.0;q=0.4, text/event-stream;q=0.5'],
    ['another multipart protocol', 'multipart/mixed;deferSpec=20220824, text/event-stream;q=0.1'],
  ])('selects server-sent events with %s', async (_name, accept) => {
    expect((await open(accept)).headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });

  it.each([
    'multipart/mixed',
    'multipart/mixed;deferSpec=20220824, application/json',
    'multipart/mixed;subscriptionSpec=2.0, application/json',
    'multipart/mixed;subscriptionSpec=1.01, application/json',
    'multipart/mixed;subscriptionSpec=1.0;q=0, application/json',
    'multipart/form-data;subscriptionSpec=1.0, application/json',
  ])('is rejected with 406: %s', async (accept) => {
    const response = await open(accept);
    expect(response.status).toBe(406);
    expect(await response.text()).toContain('NOT_ACCEPTABLE');
  });
});

describe("Apollo's multipart protocol", () => {
  it('opens with a heartbeat, sends each result as a payload, and ends with the last delimiter', async () => {
    const text = await (await reply()).text();
    expect(text).toMatch(/^\r\n--graphql\r\ncontent-type: application\/json\r\n\r\n\{\}\r\n--graphql\r\n/);
    expect(text).toMatch(/\r\n--graphql--\r\n$/);
    const [heartbeat, start, ...rest] = await allParts(await reply());
    expect(heartbeat).toEqual({});
    expect(start).toEqual({ payload: { data: { replyStream: { event: 'START' } } } });
    expect(rest.at(-1)).toEqual({ payload: { data: { replyStream: { event: 'DONE' } } } });
  });

  it('ends each part at once, so that a client need not wait for the next part', async () => {
    const parts = partsOf(await open(ACCEPT_MULTIPART));
    expect(await parts.next()).toEqual({ done: false, value: {} });
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    expect((await parts.next()).value).toEqual({
      payload: { data: { eventAppended: { event: { resourceId: body.data.id } } } },
    });
  });

  it('sends heartbeats while nothing happens', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const parts = partsOf(await open(ACCEPT_MULTIPART));
      await parts.next();
      await vi.advanceTimersByTimeAsync(15_000);
      expect((await parts.next()).value).toEqual({});
    } finally {
      vi.useRealTimers();
    }
  });

  it('puts the errors of fields into the payload', async () => {
    const document = 'subscription { workspaceActivity { conversations { messages(first: 101) { totalCount } } } }';
    const parts = partsOf(await open(ACCEPT_MULTIPART, document));
    await service.chat('Hello');
    const failed = await until(async () => {
      const { value } = await parts.next();
      return JSON.stringify(value).includes('errors') ? value : undefined;
    });
    expect(failed).toEqual({ payload: { data: null, errors: [expect.objectContaining({ path: expect.any(Array) })] } });
  });

  it('ends with errors outside the payload when the subscription fails', async () => {
    const { body } = await service.chat('Hello');
    const id = body.conversation_id;
    const changes = 'subscription ($id: ID!) { conversationChanged(conversationId: $id) { cursor } }';
    const parts = partsOf(await open(ACCEPT_MULTIPART, changes, { id }));
    await parts.next();
    await service.graphql(
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }',
      {
        id,
      },
    );
    const received = await until(async () => {
      const { value } = await parts.next();
      return value?.errors ? value : undefined;
    });
    expect(received).toEqual({
      payload: null,
      errors: [{ message: expect.any(String), extensions: expect.objectContaining({ code: 'NOT_FOUND' }) }],
    });
    expect((await parts.next()).done).toBe(true);
  });

  it('replays a stored reply', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const textOf = (parts: Part[]) => parts.map(({ payload }) => JSON.stringify(payload)).join('\n');
    const first = textOf(await allParts(await reply(key)));
    const replayed = await reply(key);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    const second = textOf(await allParts(replayed));
    expect(second).toContain('"event":"DONE"');
    expect(first).toContain('"event":"DONE"');
  });

  it('carries the cost in the first payload if the client requests it', async () => {
    const [, start, next] = await allParts(await reply({ 'x-query-cost': '1' }));
    expect(start?.payload).toMatchObject({ extensions: { cost: { requested: 1 } } });
    expect(next?.payload).not.toHaveProperty('extensions');
  });
});

describe('a client that accepts only the multipart protocol', () => {
  const ONLY = 'multipart/mixed;subscriptionSpec=1.0';

  it('gets the result of a query as one payload', async () => {
    const response = await open(ONLY, '{ conversations { totalCount } }');
    expect(response.headers.get('content-type')).toBe(CONTENT_TYPE);
    const parts = await allParts(response);
    expect(parts).toEqual([{}, { payload: { data: { conversations: { totalCount: expect.any(Number) } } } }]);
  });

  it('gets the error of a rejected document outside the payload', async () => {
    const [, rejected] = await allParts(await open(ONLY, 'subscription { nothing }'));
    expect(rejected).toMatchObject({ payload: null, errors: [{ extensions: { code: 'INVALID_REQUEST' } }] });
  });
});

describe('a client that also accepts JSON', () => {
  it('gets a rejected subscription as JSON', async () => {
    const response = await open(ACCEPT_MULTIPART, 'subscription { nothing }');
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_REQUEST' } }] });
  });
});
