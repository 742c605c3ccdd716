import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
/** Conversation IDs by name. */
const ids = new Map<string, string>();

const LABELS: Record<string, object> = {
  'plain one': {},
  'text label': { tier: 'gold', note: '3' },
  'number label': { tier: 'gold', count: 3, ratio: 1.5 },
  'boolean label': { urgent: true, tier: 'silver' },
};

beforeAll(async () => {
  service = await startService();
  for (const [name, meta] of Object.entries(LABELS)) {
    const { body } = await service.chat(name, { meta });
    ids.set(name, body.conversation_id);
  }
  const { body } = await service.agentTurn('/ask', { client_capabilities: ['ask_user'], meta: { tier: 'gold' } });
  ids.set('/ask', body.conversation_id);
  const { body: done } = await service.agentTurn('/complete\n/say bye');
  ids.set('/complete', done.conversation_id);
});
afterAll(() => service.close());

async function list(query: string, deploymentId = DEMO_CHAT_ID) {
  const { status, body } = await service.send('GET', `/v1/runner/${deploymentId}/conversations${query}`);
  expect(status).toBe(200);
  return body;
}

const names = (page: { items: { name: string }[] }) => page.items.map(({ name }) => name).sort();

describe('listing conversations', () => {
  it("returns a deployment's conversations, latest activity first, in the page envelope", async () => {
    const page = await list('');
    expect(page.items.map((item: { name: string }) => item.name)).toEqual(Object.keys(LABELS).reverse());
    expect(page).toMatchObject({ total: 4, page: 1, page_size: 20, has_more: false });
    await service.chat('again', { conversation_id: ids.get('plain one') });
    expect((await list('?page_size=1')).items[0].name).toBe('plain one');
  });

  it('returns all conversations of the environment', async () => {
    const { body } = await service.send('GET', '/v1/runner/conversations?page_size=4');
    expect(body).toMatchObject({ total: 6, page_size: 4, has_more: true });
    const { body: rest } = await service.send('GET', '/v1/runner/conversations?page_size=4&page=2');
    expect(rest).toMatchObject({ page: 2, has_more: false });
    expect(names({ items: [...body.items, ...rest.items] })).toEqual([...ids.keys()].sort());
  });

  it('contains the optional fields', async () => {
    const [item] = (await list('?tier=gold', DEMO_AGENT_ID)).items;
    expect(item).toEqual({
      id: ids.get('/ask'),
      conversation_id: ids.get('/ask'),
      deployment_id: DEMO_AGENT_ID,
      name: '/ask',
      end_user: null,
      meta: { tier: 'gold' },
      message_count: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      status: 'active',
      completed_at: null,
      run_id: expect.any(String),
      run_status: 'waiting_for_client_action',
      pending_client_actions: [{ call_id: expect.any(String), name: 'ask_user', arguments: expect.any(Object) }],
      tool_summary: [{ name: 'ask_user', type: 'client_tool', status: 'pending' }],
      progress: [expect.objectContaining({ type: 'client_action_required', name: 'ask_user' })],
    });
  });

  it.each([
    ['?tier=gold', ['number label', 'text label']],
    ['?tier=gold&count=3', ['number label']],
    ['?note=3', ['text label']],
    ['?ratio=1.5', ['number label']],
    ['?urgent=true', ['boolean label']],
    ['?urgent=false', []],
    ['?unknown=1', []],
    ['?tier%3Dgold=', []],
    ['?=x', []],
    ['?tier=', []],
  ])('filters by meta with %s', async (query, expected) => {
    const page = await list(query);
    expect(names(page)).toEqual(expected);
    expect(page.total).toBe(expected.length);
  });

  it.each([
    ['?tier=gold', ['/ask', 'number label', 'text label']],
    ['?tier=gold&page_size=2&page=2', ['text label']],
    ['?unknown=1', []],
  ])('filters the environment by meta with %s', async (query, expected) => {
    const { status, body } = await service.send('GET', `/v1/runner/conversations${query}`);
    expect(status).toBe(200);
    expect(names(body)).toEqual(expected);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length'])(
    'matches only conversations that have the key %s',
    async (key) => {
      const count = async () => {
        const paths = ['conversations', `${DEMO_CHAT_ID}/conversations`];
        const pages = await Promise.all(paths.map((path) => service.send('GET', `/v1/runner/${path}?${key}=x`)));
        const document = 'query ($meta: JSONObject) { conversations(filter: { meta: $meta }) { totalCount } }';
        const { body } = await service.graphql(document, { meta: JSON.parse(`{"${key}":"x"}`) });
        return [...pages.map((page) => page.body.total), body.data.conversations.totalCount];
      };
      expect(await count()).toEqual([0, 0, 0]);
      const { body } = await service.chat('named', { meta: JSON.parse(`{"${key}":"x"}`) });
      expect(await count()).toEqual([1, 1, 1]);
      const path = `/v1/runner/conversations?${key}=x`;
      const [item] = (await service.send('GET', path)).body.items;
      expect(Object.entries(item.meta)).toEqual([[key, 'x']]);
      await service.graphql(
        'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }',
        {
          id: body.conversation_id,
        },
      );
      expect(await count()).toEqual([0, 0, 0]);
    },
  );

  it('rejects the key __proto__ in a GraphQL literal, which cannot hold it', async () => {
    const response = await service.graphql('{ conversations(filter: { meta: { __proto__: "x" } }) { totalCount } }');
    expectGraphqlError(response, 'invalid_request', { param: null });
  });

  it('rejects a repeated filter and an unknown deployment', async () => {
    const twice = await service.send('GET', `/v1/runner/${DEMO_CHAT_ID}/conversations?tier=gold&tier=silver`);
    expect(twice).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param: 'tier' } } });
    const empty = await service.send('GET', '/v1/runner/00000000-0000-4000-8000-0000000000ff/conversations');
    expect(empty).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('filters through GraphQL by meta, status, deployment and part of the name, and counts the matches', async () => {
    const query = `query ($filter: ConversationFilter) {
      conversations(filter: $filter, first: 1) { totalCount nodes { name } pageInfo { hasNextPage } } }`;
    const find = async (filter: object) => (await service.graphql(query, { filter })).body.data.conversations;
    expect(await find({ meta: { tier: 'gold', count: 3 } })).toMatchObject({ totalCount: 1 });
    expect(await find({ meta: { urgent: true } })).toMatchObject({ nodes: [{ name: 'boolean label' }] });
    expect(await find({ status: 'COMPLETED' })).toMatchObject({ totalCount: 1 });
    expect(await find({ deploymentId: DEMO_AGENT_ID })).toMatchObject({ totalCount: 2 });
    expect(await find({ search: 'LABEL' })).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    expect(await find({ search: '100%_' })).toMatchObject({ totalCount: 0 });
    const withStatuses = (...runStatuses: string[]) => find({ runStatuses });
    expect(await withStatuses('RUNNING', 'WAITING_FOR_CLIENT_ACTION')).toMatchObject({ nodes: [{ name: '/ask' }] });
    expect(await withStatuses('WAITING_FOR_CLIENT_ACTION', 'FAILED')).toMatchObject({ totalCount: 1 });
    expect(await withStatuses('COMPLETED')).toMatchObject({ totalCount: 5 });
    expect(await withStatuses('RUNNING')).toMatchObject({ totalCount: 0 });
  });
});
