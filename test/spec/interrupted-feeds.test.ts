import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { graphText } from '../support/graph-content.ts';
import { ACCEPT_MULTIPART } from '../support/multipart.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeEach(async () => {
  service = await startService();
});

let closing: Promise<void> | undefined;
afterEach(() => shutDown());

function shutDown(): Promise<void> {
  closing ??= service.close().finally(() => {
    closing = undefined;
  });
  return closing;
}

const FEED = 'subscription ($after: String) { eventAppended(after: $after) { cursor } }';

/** A response whose end is known. */
interface Stream {
  readonly text: string;
  /** Resolves when the connection is closed: with whether the response was complete. */
  readonly ended: Promise<boolean>;
}

async function open(
  path: string,
  { method = 'GET', accept = 'text/event-stream', body = {}, key = service.key } = {},
): Promise<Stream> {
  const sent = request(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
  });
  sent.end(method === 'POST' ? JSON.stringify(body) : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const stream = {
    text: '',
    ended: new Promise<boolean>((resolve) => {
      response.on('error', () => {}).once('close', () => resolve(response.complete));
    }),
  };
  response.on('data', (bytes: Buffer) => {
    stream.text += bytes.toString();
  });
  return stream;
}

const subscriptions = (count: number) =>
  until(async () => (await service.send('GET', '/metrics')).body.includes(`parley_subscriptions ${count}\n`));

describe('a graceful shutdown', () => {
  it.each([
    ['over server-sent events', 'text/event-stream', 'event: complete'],
    ['in a multipart response', ACCEPT_MULTIPART, '--graphql--'],
  ])('breaks the connection of a feed %s without its end', async (_name, accept, end) => {
    const stream = await open('/graphql', { method: 'POST', accept, body: { query: FEED } });
    await subscriptions(1);
    await service.send('POST', '/v1/resources', { body: { type: 'thing', fields: {} } });
    await until(async () => stream.text.includes('cursor'));
    void shutDown();
    expect(await stream.ended).toBe(false);
    expect(stream.text).not.toContain(end);
  });

  it('breaks the connection of a feed over REST', async () => {
    const { body } = await service.agentTurn('Hello');
    const stream = await open(`/v1/runner/conversation/${body.conversation_id}/stream`);
    await subscriptions(1);
    void shutDown();
    expect(await stream.ended).toBe(false);
  });

  async function shared() {
    const token = (await service.send('PUT', '/graphql/stream')).body as string;
    const stream = await open(`/graphql/stream?token=${token}`);
    const headers = { 'x-graphql-event-stream-token': token };
    const start = async (operationId: string, query: string, variables: object = {}) => {
      const body = { query, variables, extensions: { operationId } };
      expect((await service.send('POST', '/graphql/stream', { body, headers })).status).toBe(202);
    };
    return { stream, start };
  }

  it('breaks the connection of a shared stream without the end of its feeds', async () => {
    const { stream, start } = await shared();
    for (const id of ['a', 'b']) await start(id, FEED);
    await subscriptions(2);
    void shutDown();
    expect(await stream.ended).toBe(false);
    expect(stream.text).not.toContain('event: complete');
  });

  it('breaks the connection of a shared stream that has no operation', async () => {
    const { stream } = await shared();
    void shutDown();
    expect(await stream.ended).toBe(false);
  });

  it('lets a reply on a shared stream end before it breaks the connection', async () => {
    const { stream, start } = await shared();
    await start('feed', FEED);
    const input = { deploymentId: DEMO_CHAT_ID, content: graphText('/slow 0.5\n/say Done') };
    await start('reply', 'subscription ($input: SendMessageInput!) { replyStream(input: $input) { event } }', {
      input,
    });
    await until(async () => stream.text.includes('START'));
    void shutDown();
    expect(await stream.ended).toBe(false);
    expect(stream.text).toContain('"event":"DONE"');
    expect([...stream.text.matchAll(/event: complete\ndata: (.*)/g)].map(([, data]) => data)).toEqual([
      '{"id":"reply"}',
    ]);
  });

  it('ends an export with an error, because a client that reconnects would get all lines again', async () => {
    const key = await makeKey(service);
    const { prisma } = service.service.services.stores;
    const { environmentId } = await prisma.apiKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    const times = { createdAt: new Date(0), updatedAt: new Date(0) };
    const row = { environmentId, type: 'big', fields: { text: 'x'.repeat(200_000) }, ...times };
    const ids = Array.from({ length: 200 }, (_, index) => `res_big${String(index).padStart(23, '0')}`);
    await prisma.resource.createMany({ data: ids.map((id) => ({ id, ...row })) });
    // More than the stream buffers, so it waits for its reader.
    const stream = await subscribe(service, 'subscription { environmentExport }', {}, key);
    await stream.next();
    for (const drain of service.service.services.process.openFeeds) drain();
    let last: unknown;
    for (let next = await stream.next(); next; next = await stream.next()) last = next;
    expect(last).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
  });
});

describe('a subscription of a caller who has too many streams', () => {
  const REPLY = 'subscription ($input: SendMessageInput!) { replyStream(input: $input) { event } }';
  const input = () => ({ deploymentId: DEMO_CHAT_ID, content: graphText('Hello') });

  async function fullSession(): Promise<string> {
    const key = await openSession(service, 'owner');
    const body = { query: FEED };
    await Promise.all(
      Array.from({ length: LIMITS.streamsOfPerson }, () => open('/graphql', { method: 'POST', body, key })),
    );
    return key;
  }

  it('gets the error and a broken connection if it is a feed, so that its client tries again', async () => {
    const key = await fullSession();
    for (const accept of ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']) {
      const feed = await open('/graphql', { method: 'POST', accept, body: { query: FEED }, key });
      expect(await feed.ended).toBe(false);
      expect(feed.text).toContain('RATE_LIMITED');
    }
    const reply = { query: REPLY, variables: { input: input() } };
    const rejected = await open('/graphql', { method: 'POST', body: reply, key });
    expect(await rejected.ended).toBe(true);
    expect(rejected.text).toMatch(/RATE_LIMITED.*\n\nevent: complete/);
  });

  it('gets 429 if it is a feed for a shared stream', async () => {
    const key = await openSession(service, 'owner');
    const token = (await service.send('PUT', '/graphql/stream', { key })).body as string;
    const body = { query: FEED };
    // The shared stream counts too.
    const others = Array.from({ length: LIMITS.streamsOfPerson - 1 }, () =>
      open('/graphql', { method: 'POST', body, key }),
    );
    await Promise.all(others);
    const rejected = await service.send('POST', '/graphql/stream', {
      key,
      headers: { 'x-graphql-event-stream-token': token },
      body: { query: FEED, extensions: { operationId: 'a' } },
    });
    expect([rejected.status, rejected.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
  });
});
