import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgentController, AgentState, ClientOptions } from '../../src/sdk/index.ts';
import { readHistory } from '../support/agent-turns.ts';
import { startProxy } from '../support/faulty-proxy.ts';
import { answersTo, clientFor, stateOf, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const opened = new Set<AgentController>();
function agent(options: Partial<ClientOptions> = {}, url = service.url): AgentController {
  const created = clientFor({ url, key: service.key }, options).createAgent();
  opened.add(created);
  return created;
}
afterEach(() => {
  for (const one of opened) one.close();
  opened.clear();
});

const begin = async (words = 'Hello'): Promise<string> => (await service.agentTurn(words)).body.conversation_id;

const idsOf = ({ history }: AgentState) => history.map(({ id }) => id);

/** A fetch that replaces some responses. */
function fetchThrough(replace: (url: string, init: RequestInit) => Response | undefined): typeof globalThis.fetch {
  return async (input, init = {}) => replace(String(input), init) ?? fetch(input, init);
}

/** When the proxy cuts the connections, in turn. */
const MOMENTS = ['open', 'event', 'responded', 'event'] as const;

const isFeed = (init: RequestInit) => String(init.body).includes('subscription');

describe('the synchronized state', () => {
  it('follows messages, runs and pending calls of other clients', async () => {
    const id = await begin();
    const [one, other] = [agent(), agent()];
    await Promise.all([one.open(id), other.open(id)]);
    const turn = one.continue({ content: '/slow 2\n/ask\n/say done', clientCapabilities: ['ask_user'] });
    expect(await stateOf(other, ({ status }) => status === 'running')).toMatchObject({ runStatus: 'running' });
    const waiting = await stateOf(other, ({ pendingToolCalls }) => pendingToolCalls.length === 1);
    expect(waiting.status).toBe('awaiting_input');
    await turn;
    const [call] = waiting.pendingToolCalls;
    await other.resolveTool(call?.callId ?? '', answersTo(call?.arguments));
    const ended = await stateOf(one, ({ status, messages }) => status === 'success' && messages.length === 4);
    expect(ended).toEqual(other.getState());
  });

  it('accepts one of two simultaneous tool results and brings both tabs to the same state', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [agent(), agent()];
      const { conversationId, pendingToolCalls } = await one.start({
        content: '/ask\n/say done',
        clientCapabilities: ['ask_user'],
      });
      await other.open(conversationId ?? '');
      const [call] = pendingToolCalls;
      const answer = (name: string) => ({
        answers: [
          { id: 'name', value: name },
          { id: 'contact', value: 'post' },
          { id: 'topics', value: [] },
        ],
      });
      const results = await Promise.allSettled([
        one.resolveTool(call?.callId ?? '', answer('One')),
        other.resolveTool(call?.callId ?? '', answer('Other')),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const lost = results.find((result) => result.status === 'rejected');
      expect(lost?.reason).toMatchObject({ status: 409, code: 'action_result_conflict' });
      const isDone = (state: AgentState) => state.status === 'success' && textsOf(state).at(-1) === 'done';
      const [first, second] = await Promise.all([stateOf(one, isDone), stateOf(other, isDone)]);
      expect(first).toEqual(second);
    }
  });

  it('receives 200 items once and in order across 100 lost connections', async () => {
    const id = await begin();
    const proxy = await startProxy(service.url);
    const own = agent({}, proxy.url);
    await own.open(id);
    const seen: string[] = [];
    own.subscribe(({ history }) => seen.push(...history.slice(seen.length + 2).map((item) => item.id)));
    const shrunk: number[] = [];
    let length = 0;
    own.subscribe(({ history }) => {
      if (history.length < length) shrunk.push(history.length);
      length = history.length;
    });
    for (let number = 0; number < 100; number += 1) {
      const turn = service.agentTurn(`n${number}`, { conversation_id: id });
      await Promise.all([turn, delay(Math.random() * 100).then(() => proxy.cut(MOMENTS[number % 4] ?? 'event'))]);
    }
    const whole = await stateOf(own, ({ history }) => history.length >= 202);
    expect(proxy.cuts).toBe(100);
    const { items } = await readHistory(service, id);
    expect(shrunk).toEqual([]);
    expect(new Set(seen).size).toBe(200);
    expect(seen).toEqual([...seen].sort());
    expect(idsOf(whole)).toEqual([...idsOf(whole).slice(0, 2), ...seen]);
    expect(seen.slice(-100)).toEqual(items.map((item) => item.id));
    await proxy.close();
  }, 120_000);

  it('polls without gaps when server-sent events do not arrive', async () => {
    const id = await begin();
    const refusals: string[] = [];
    const fetch = fetchThrough((url, init) => {
      if (!isFeed(init)) return undefined;
      refusals.push(url);
      return new Response('<h1>Not here</h1>', { status: 404, headers: { 'content-type': 'text/html' } });
    });
    const own = agent({ fetch });
    await own.open(id, { pollIntervalMs: 500, limit: 3 });
    for (let number = 0; number < 5; number += 1) await service.agentTurn(`${number}`, { conversation_id: id });
    const state = await stateOf(own, ({ history }) => history.length >= 12);
    expect(idsOf(state)).toEqual((await readHistory(service, id)).items.map((item) => item.id));
    expect(refusals).toHaveLength(1);
  });

  it('works with the REST API alone when GraphQL is blocked', async () => {
    const fetch = fetchThrough((url) => (url.endsWith('/graphql') ? new Response('', { status: 403 }) : undefined));
    const own = agent({ fetch });
    const paused = await own.start({ content: '/ask\n/say done', clientCapabilities: ['ask_user'] });
    expect(paused).toMatchObject({
      status: 'awaiting_input',
      toolSummary: [{ name: 'ask_user', type: 'client_tool', status: 'pending' }],
    });
    const [call] = paused.pendingToolCalls;
    const done = await own.resolveTool(call?.callId ?? '', answersTo(call?.arguments));
    expect(done).toMatchObject({ status: 'success', toolSummary: [{ status: 'completed' }] });
  });

  it('polls every 2 s by default and accepts 500 ms to 60 s', async () => {
    const id = await begin();
    for (const pollIntervalMs of [499, 60_001, Number.NaN]) {
      await expect(agent().open(id, { pollIntervalMs })).rejects.toMatchObject({
        code: 'invalid_call',
        param: 'pollIntervalMs',
      });
    }
    const times: number[] = [];
    const fetch = fetchThrough((url) => {
      if (url.includes('/history')) times.push(Date.now());
      return undefined;
    });
    const own = agent({ fetch });
    await own.open(id, { live: false });
    await service.agentTurn('More', { conversation_id: id });
    await stateOf(own, ({ history }) => history.length === 4);
    // A slow turn is found by the first poll, a quick one before it.
    await expect.poll(() => times.length).toBeGreaterThanOrEqual(3);
    const [, polled = 0, again = 0] = times;
    expect(again - polled).toBeGreaterThanOrEqual(1_990);
  });

  it('loads all older pages of 1,000 items, each item once', async () => {
    const id = await begin();
    await addMessages(id, 998);
    const own = agent();
    const { history, historyPageInfo, messagesPageInfo } = await own.open(id);
    expect(history).toHaveLength(20);
    expect(historyPageInfo).toMatchObject({ hasMore: true });
    expect(messagesPageInfo).toEqual(historyPageInfo);
    await Promise.all([own.loadMoreHistory(), own.loadMoreMessages()]);
    expect(own.getState().history).toHaveLength(40);
    while (own.getState().historyPageInfo?.hasMore) await own.loadMoreHistory({ limit: 100 });
    const state = await own.loadMoreHistory();
    expect(state.historyPageInfo).toEqual({ nextCursor: null, hasMore: false });
    expect(new Set(idsOf(state)).size).toBe(1_000);
    expect(idsOf(state)).toEqual([...idsOf(state)].sort());
    expect(textsOf(state).slice(0, 3)).toEqual(['Hello', 'You said: Hello', 'm0']);
  });

  it('sends handler results when the service is available again', async () => {
    let isAway = true;
    const fetch = fetchThrough((_url, init) => {
      if (!isAway || !String(init.body).includes('tool_results')) return undefined;
      const error = { type: 'api_error', code: 'unavailable', message: 'away', param: null };
      return new Response(JSON.stringify({ error }), { status: 503, headers: { 'retry-after': '0' } });
    });
    const own = agent({ fetch });
    let runs = 0;
    const lookup_customer = () => {
      runs += 1;
      return { tier: 'gold' };
    };
    await own.start({
      content: '/call lookup_customer {"customer_id":"c1"}\n/say done',
      clientTools: { lookup_customer },
      live: false,
      pollIntervalMs: 500,
    });
    await stateOf(own, ({ error }) => error?.code === 'unavailable');
    isAway = false;
    const done = await stateOf(own, ({ status }) => status === 'success');
    expect(textsOf(done).at(-1)).toBe('done');
    expect(runs).toBe(1);
  });

  it('reports a revoked API key and sends no further requests', async () => {
    const id = await begin();
    const made = await service.graphql(
      'mutation ($scopes: [Scope!]!) { createApiKey(input: { name: "A page", scopes: $scopes }) { __typename ... on CreateApiKeyPayload { secret apiKey { apiKeyId } } ... on Error { code message path } } }',
      { scopes: ['CONVERSATIONS_READ'] },
    );
    const { secret, apiKey } = made.body.data.createApiKey;
    let requests = 0;
    const own = agent({
      apiKey: secret,
      fetch: fetchThrough(() => {
        requests += 1;
        return undefined;
      }),
    });
    await own.open(id);
    await service.graphql(
      'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { __typename ... on RevokeApiKeyPayload { apiKey { revokedAt } } ... on Error { code message path } } }',
      { id: apiKey.apiKeyId },
    );
    expect(await stateOf(own, ({ status }) => status === 'error')).toMatchObject({
      error: { code: 'unauthorized', status: 401 },
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    const before = requests;
    await delay(500);
    expect(requests).toBe(before);
  });

  it('ends with not_found when the conversation is deleted', async () => {
    const id = await begin();
    const own = agent();
    await own.open(id);
    const document =
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }';
    await service.graphql(document, { id });
    const { error } = await stateOf(own, ({ status }) => status === 'error');
    expect(error).toMatchObject({ code: 'not_found', status: 404 });
  });
});

/** Inserts messages into the database like turns do. */
async function addMessages(conversationId: string, count: number): Promise<void> {
  const { prisma } = service.service.services.stores;
  await prisma.$executeRaw`
    INSERT INTO timeline_item
      (conversation_id, environment_id, run_id, kind, step, role, content, revision, created_at)
    SELECT id, environment_id, latest_run_id, 'message', 0, 'user',
      jsonb_build_array(jsonb_build_object('type', 'text', 'text', 'm' || n)), 0, now()
    FROM conversation, generate_series(0, ${count - 1}::int) AS n WHERE id = ${conversationId}::uuid`;
}
