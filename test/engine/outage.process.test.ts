import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import type { Answer, Client } from '../support/client.ts';
import { type CuttingProxy, startProxy } from '../support/cutting-proxy.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startAt } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../support/service.ts';
import { type Subscription, subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';

const REDIS_URL = process.env.TEST_REDIS_URL;

/** The same server, by way of a proxy. */
function through(url: string, { port }: CuttingProxy): string {
  const way = new URL(url);
  way.hostname = '127.0.0.1';
  way.port = String(port);
  return way.href;
}

const FEED = 'subscription ($after: String) { conversationsChanged(after: $after) { cursor conversationId } }';

const DELETION = `mutation {
  deleteConversation(conversationId: "00000000-0000-4000-8000-0000000000ff") { conversationId } }`;

const isReady = async (process: Client) => (await process.send('GET', '/readyz')).status === 200;

afterAll(killAll);

describe.skipIf(!POSTGRES_URL)('while PostgreSQL is away', () => {
  let home: PostgresPlace;
  let way: CuttingProxy;
  let service: ServiceProcess;
  beforeAll(async () => {
    home = await postgres();
    way = await startProxy(home.url);
    service = await startAt(home, { DATABASE_URL: through(home.url, way) });
  });
  afterAll(async () => {
    await service?.kill('SIGKILL');
    await way?.close();
    await home?.remove();
  });

  const body = { content: [{ type: 'text', text: 'Hello' }] };
  const turns = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
  const refusedFeed = async () => (await subscribe(service, FEED, {}, home.key)).refused as Answer;

  const DOORS: Record<string, () => Promise<Answer>> = {
    'a v1 turn': () => service.chat('Hello'),
    'a v2 turn': () => service.agentTurn('Hello'),
    'a turn under a key': () => service.send('POST', turns, { body, headers: { 'idempotency-key': 'away' } }),
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
    'a feed': refusedFeed,
    'a shared stream': () => service.send('PUT', '/graphql/stream'),
  };

  it('every door answers 503 unavailable with Retry-After at once, /readyz 503 and /healthz 200; back again, all goes on', async () => {
    const { conversation_id } = (await service.agentTurn('Hello')).body;
    const { body: other } = await service.agentTurn('Hello');
    const waiting = await pauseTurn(service, conversation_id, `${lookup('one')}\n/say welcome back`);
    const feed = await subscribe(service, FEED, {}, home.key);
    const running = service.agentTurn('/slow 6\n/say lost', { conversation_id: other.conversation_id });
    const { cursor } = (await feed.next()).data.conversationsChanged;
    await way.down();

    for (const [door, ask] of Object.entries(DOORS)) {
      const began = performance.now();
      const answer = await ask();
      expect([door, answer.status, answer.headers.get('retry-after')]).toEqual([door, 503, '2']);
      expect(answer.body.error?.code ?? answer.body.errors?.[0].extensions.code).toBe('unavailable');
      expect(performance.now() - began).toBeLessThan(2_000);
    }
    expect((await service.send('GET', '/healthz')).status).toBe(200);
    expect(await service.send('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { checks: { accepting: true, database: false } },
    });
    expect((await service.send('GET', '/metrics')).status).toBe(200);
    expect(await running).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(await lastOf(feed)).toMatchObject({ errors: [{ extensions: { code: 'unavailable' } }] });
    // One connection at a time is tried, twice a second.
    expect(service.output.filter((line) => line.includes('live updates are interrupted')).length).toBeLessThan(30);

    await way.up();
    await until(() => isReady(service), { withinMs: 5_000 });
    const resumed = await resume(service, waiting, { name: 'Ada' });
    expect(resumed).toMatchObject({ status: 200, body: { content: 'welcome back' } });
    const settled = await until(async () => {
      const { run_status } = await readHistory(service, other.conversation_id);
      return run_status !== 'running' && run_status;
    });
    expect(settled).toBe('failed');
    const again = await service.agentTurn('Again', { conversation_id: other.conversation_id });
    expect(again).toMatchObject({ status: 200, body: { content: 'You said: Again' } });
    const next = await subscribe(service, FEED, { after: cursor }, home.key);
    const told = new Set<string>();
    while (told.size < 2) told.add((await next.next()).data.conversationsChanged.conversationId);
    expect(told).toEqual(new Set([conversation_id, other.conversation_id]));
    await next.close();
  });
});

describe.skipIf(!POSTGRES_URL || !REDIS_URL)('while Redis is away', () => {
  let home: PostgresPlace;
  let way: CuttingProxy;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    home = await postgres();
    way = await startProxy(REDIS_URL ?? '');
    const env = { REDIS_URL: through(REDIS_URL ?? '', way), TRUST_PROXY: '1' };
    pair = await Promise.all([startAt(home, env), startAt(home, env)]);
  });
  afterAll(async () => {
    await Promise.all((pair ?? []).map((process) => process.kill('SIGKILL')));
    await way?.close();
    await home?.remove();
  });

  /** How many of 120 reads, at both processes in turn, are let through under a limit of 60 a minute. */
  async function taken(address: string): Promise<number> {
    const options = { key: null, headers: { 'x-forwarded-for': address } };
    const reads = Array.from({ length: 120 }, (_, index) =>
      pair[index % 2 === 0 ? 0 : 1].send('GET', `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`, options),
    );
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    expect([...new Set(statuses)].filter((status) => status !== 404 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 404).length;
  }

  /** Milliseconds until a feed of one process has told of five turns of the other, one after another. */
  async function toldWithin(feed: Subscription, conversation_id: string): Promise<number> {
    const began = performance.now();
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await pair[1].agentTurn('Hello', { conversation_id })).status).toBe(200);
      expect((await feed.next()).data.conversationsChanged.conversationId).toBe(conversation_id);
    }
    return performance.now() - began;
  }

  it('turns and feeds go on, each process counts limits for itself, and both count together once it is back', async () => {
    const { conversation_id } = (await pair[1].agentTurn('Hello')).body;
    expect(await taken('203.0.113.1')).toBe(60);
    await way.down();
    const feed = await subscribe(pair[0], FEED, {}, home.key);
    expect(await taken('203.0.113.2')).toBe(120);
    expect(await toldWithin(feed, conversation_id)).toBeLessThan(15_000);
    expect(await isReady(pair[0])).toBe(true);
    await way.up();
    let third = 3;
    await until(async () => (await taken(`203.0.113.${third++}`)) === 60);
    await feed.close();
    // Faster than polls, which come once a second.
    const woken = await subscribe(pair[0], FEED, {}, home.key);
    await until(async () => (await toldWithin(woken, conversation_id)) < 1_500);
    await woken.close();
  });

  it('one that says nothing is given up after 2 s, and nobody waits for it again until it speaks', async () => {
    const { conversation_id } = (await pair[1].agentTurn('Hello')).body;
    const feed = await subscribe(pair[0], FEED, {}, home.key);
    way.hush();
    const began = performance.now();
    expect(await taken('203.0.113.201')).toBe(120);
    expect(performance.now() - began).toBeLessThan(8_000);
    for (const [index, process] of [...pair, ...pair].entries()) {
      const asked = performance.now();
      const headers = { 'x-forwarded-for': `203.0.113.${210 + index}` };
      const read = `/v1/runner/${DEMO_AGENT_ID}/trigger/unknown1`;
      expect((await process.send('GET', read, { key: null, headers })).status).toBe(404);
      expect(performance.now() - asked).toBeLessThan(1_000);
    }
    expect(await toldWithin(feed, conversation_id)).toBeLessThan(15_000);
    way.speak();
    let next = 220;
    await until(async () => (await taken(`203.0.113.${next++}`)) === 60);
    await feed.close();
  });
});

async function lastOf(feed: Subscription): Promise<unknown> {
  let last: unknown;
  for (let event = await feed.next(); event; event = await feed.next()) last = event;
  return last;
}
