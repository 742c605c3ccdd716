import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FaultyProxy, startProxy } from '../support/faulty-proxy.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../support/service.ts';
import { type Subscription, subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';

const REDIS_URL = process.env.TEST_REDIS_URL;

/** The same server through a proxy. */
function through(url: string, { port }: FaultyProxy): string {
  const proxy = new URL(url);
  proxy.hostname = '127.0.0.1';
  proxy.port = String(port);
  return proxy.href;
}

const FEED = 'subscription ($after: String) { conversationsChanged(after: $after) { cursor conversationId } }';

const DELETION = `mutation {
  deleteConversation(input: { conversationId: "00000000-0000-4000-8000-0000000000ff" }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }`;

const isReady = async (process: Client) => (await process.send('GET', '/readyz')).status === 200;

afterAll(killAll);

describe.skipIf(!POSTGRES_URL)('while PostgreSQL is unreachable', () => {
  let store: PostgresStore;
  let proxy: FaultyProxy;
  let service: ServiceProcess;
  beforeAll(async () => {
    store = await postgresStore();
    proxy = await startProxy(store.url);
    service = await startOn(store, { DATABASE_URL: through(store.url, proxy) });
  });
  afterAll(async () => {
    await service?.kill('SIGKILL');
    await proxy?.close();
    await store?.remove();
  });

  const body = { content: [{ type: 'text', text: 'Hello' }] };
  const turns = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
  const rejectedSubscription = async () => (await subscribe(service, FEED, {}, store.key)).rejection as HttpResponse;

  const REQUESTS: Record<string, () => Promise<HttpResponse>> = {
    'a v1 turn': () => service.chat('Hello'),
    'a v2 turn': () => service.agentTurn('Hello'),
    'a turn with a key': () => service.send('POST', turns, { body, headers: { 'idempotency-key': 'away' } }),
    'a turn without credentials': () => service.send('POST', turns, { key: null, body }),
    'a streamed turn': () => service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, { body }),
    'a one-shot run': () => service.send('POST', `/v1/runner/${DEMO_CHAT_ID}`, { body }),
    'a list': () => service.send('GET', '/v1/resources'),
    'an export': () => service.send('GET', '/v1/export'),
    'a read that is limited by address': () =>
      service.send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, { key: null }),
    'a page of another origin': () =>
      service.send('GET', '/v1/resources', { headers: { origin: 'https://a.example' } }),
    'a hosted page': () => service.send('GET', `/chat/${DEMO_CHAT_ID}`, { key: null }),
    'a GraphQL query': () => service.graphql('{ conversations(first: 1) { nodes { name } } }'),
    'a mutation': () => service.graphql(DELETION),
    'a feed': rejectedSubscription,
    'a shared stream': () => service.send('PUT', '/graphql/stream'),
  };

  it('returns 503 unavailable with Retry-After at once on every path, and recovers when PostgreSQL is back', async () => {
    const { conversation_id } = (await service.agentTurn('Hello')).body;
    const { body: other } = await service.agentTurn('Hello');
    const waiting = await pauseTurn(service, conversation_id, `${lookup('one')}\n/say welcome back`);
    const feed = await subscribe(service, FEED, {}, store.key);
    const running = service.agentTurn('/slow 6\n/say lost', { conversation_id: other.conversation_id });
    const { cursor } = (await feed.next()).data.conversationsChanged;
    const last = lastOf(feed);
    await proxy.down();

    for (const [name, send] of Object.entries(REQUESTS)) {
      const began = performance.now();
      const response = await send();
      expect([name, response.status, response.headers.get('retry-after')]).toEqual([name, 503, '2']);
      expect(errorOf(response)?.code).toBe('unavailable');
      expect(performance.now() - began).toBeLessThan(busyMs(2_000));
    }
    expect((await service.send('GET', '/healthz')).status).toBe(200);
    expect(await service.send('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { checks: { accepting: true, database: false } },
    });
    expect((await service.send('GET', '/metrics')).status).toBe(200);
    expect(await running).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(await last).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
    // One connection at a time is attempted, twice a second.
    expect(service.output.filter((line) => line.includes('live updates are interrupted')).length).toBeLessThan(30);

    await proxy.up();
    await until(() => isReady(service), { withinMs: busyMs(5_000) });
    const resumed = await resume(service, waiting, { name: 'Ada' });
    expect(resumed).toMatchObject({ status: 200, body: { content: 'welcome back' } });
    const settled = await until(async () => {
      const { run_status } = await readHistory(service, other.conversation_id);
      return run_status !== 'running' && run_status;
    });
    expect(settled).toBe('failed');
    const repeated = await service.agentTurn('Again', { conversation_id: other.conversation_id });
    expect(repeated).toMatchObject({ status: 200, body: { content: 'You said: Again' } });
    const next = await subscribe(service, FEED, { after: cursor }, store.key);
    const results = new Set<string>();
    while (results.size < 2) results.add((await next.next()).data.conversationsChanged.conversationId);
    expect(results).toEqual(new Set([conversation_id, other.conversation_id]));
    await next.close();
  });
});

describe.skipIf(!POSTGRES_URL || !REDIS_URL)('while Redis is unreachable', () => {
  let store: PostgresStore;
  let proxy: FaultyProxy;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    store = await postgresStore();
    proxy = await startProxy(REDIS_URL ?? '');
    const env = { REDIS_URL: through(REDIS_URL ?? '', proxy), TRUST_PROXY: '1' };
    pair = await Promise.all([startOn(store, env), startOn(store, env)]);
  });
  afterAll(async () => {
    await Promise.all((pair ?? []).map((process) => process.kill('SIGKILL')));
    await proxy?.close();
    await store?.remove();
  });

  /** How many of 120 reads, alternating between both processes, pass a limit of 60 per minute. */
  async function passedReads(address: string): Promise<number> {
    const options = { key: null, headers: { 'x-forwarded-for': address } };
    const reads = Array.from({ length: 120 }, (_, index) =>
      pair[index % 2 === 0 ? 0 : 1].send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, options),
    );
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    expect([...new Set(statuses)].filter((status) => status !== 404 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 404).length;
  }

  /** Milliseconds until a subscription of one process has received five turns of the other, one after another. */
  async function receivedWithinMs(feed: Subscription, conversation_id: string): Promise<number> {
    const began = performance.now();
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await pair[1].agentTurn('Hello', { conversation_id })).status).toBe(200);
      expect((await feed.next()).data.conversationsChanged.conversationId).toBe(conversation_id);
    }
    return performance.now() - began;
  }

  it('turns and subscriptions continue, each process counts limits separately, and both share them once Redis is back', async () => {
    const { conversation_id } = (await pair[1].agentTurn('Hello')).body;
    expect(await passedReads('203.0.113.1')).toBe(60);
    await proxy.down();
    const feed = await subscribe(pair[0], FEED, {}, store.key);
    expect(await passedReads('203.0.113.2')).toBe(120);
    expect(await receivedWithinMs(feed, conversation_id)).toBeLessThan(busyMs(15_000));
    expect(await isReady(pair[0])).toBe(true);
    await proxy.up();
    let third = 3;
    await until(async () => (await passedReads(`203.0.113.${third++}`)) === 60);
    await feed.close();
    // Faster than polls, which run once a second.
    const notified = await subscribe(pair[0], FEED, {}, store.key);
    await until(async () => (await receivedWithinMs(notified, conversation_id)) < 1_500);
    await notified.close();
  });

  it('an unresponsive Redis times out after 2 s, and requests do not wait for it until it responds', async () => {
    const { conversation_id } = (await pair[1].agentTurn('Hello')).body;
    const feed = await subscribe(pair[0], FEED, {}, store.key);
    proxy.pause();
    const began = performance.now();
    expect(await passedReads('203.0.113.201')).toBe(120);
    expect(performance.now() - began).toBeLessThan(busyMs(8_000));
    for (const [index, process] of [...pair, ...pair].entries()) {
      const requests = performance.now();
      const headers = { 'x-forwarded-for': `203.0.113.${210 + index}` };
      const read = `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`;
      expect((await process.send('GET', read, { key: null, headers })).status).toBe(404);
      expect(performance.now() - requests).toBeLessThan(busyMs(1_000));
    }
    expect(await receivedWithinMs(feed, conversation_id)).toBeLessThan(busyMs(15_000));
    proxy.unpause();
    let next = 220;
    await until(async () => (await passedReads(`203.0.113.${next++}`)) === 60);
    await feed.close();
  });
});

async function lastOf(feed: Subscription): Promise<unknown> {
  let last: unknown;
  const readAll = async () => {
    for (let event = await feed.next(); event; event = await feed.next()) last = event;
  };
  // Without `complete`, so that clients reconnect.
  await expect(readAll()).rejects.toThrow('terminated');
  return last;
}
