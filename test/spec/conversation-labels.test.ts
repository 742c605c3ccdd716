import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { withCookies } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { clientFor } from '../support/sdk.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const UPDATE = `mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) {
  __typename ... on UpdateConversationPayload { conversation { name meta updatedAt } }
  ... on InvalidInput { issues { path message } } ... on Error { code message path } } }`;

const start = async (meta: object = {}): Promise<string> =>
  (await service.chat('Where are my shoes?', { meta })).body.conversation_id;

const change = (id: string, body: object, options: object = {}) =>
  service.send('PATCH', `/v1/runner/conversation/${id}`, { body, ...options });

async function stored(id: string) {
  const select = { name: true, meta: true, metaLabels: true, updatedAt: true };
  return service.service.services.stores.prisma.conversation.findFirstOrThrow({ where: { id }, select });
}

async function listed(filter: string): Promise<string[]> {
  const { body } = await service.send('GET', `/v1/runner/${DEMO_CHAT_ID}/conversations?${filter}`);
  return body.items.map(({ id }: { id: string }) => id);
}

const numbered = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${from + index}`, index]));

describe('changed labels of a conversation', () => {
  it('replace the given ones, lose those with null, keep the others, and are found in lists', async () => {
    const id = await start({ shop: 'south-1', tier: 'gold', vip: true });
    const before = await stored(id);
    const changed = await change(id, { meta: { shop: 'north-1', tier: null, orders: 3, unknown: null } });
    const meta = { shop: 'north-1', vip: true, orders: 3 };
    expect([changed.status, changed.body]).toEqual([200, { conversation_id: id, name: before.name, meta }]);
    const { metaLabels, ...after } = await stored(id);
    expect(after).toEqual({ name: before.name, meta, updatedAt: before.updatedAt });
    expect(metaLabels.toSorted()).toEqual(['orders=3', 'shop=north-1', 'vip=true']);
    expect(await listed('shop=north-1&orders=3')).toEqual([id]);
    expect(await listed('shop=south-1')).toEqual([]);
    expect(await listed('shop=north-1&tier=gold')).toEqual([]);
  });

  it('are the same in the GraphQL API, together with a new name', async () => {
    const id = await start({ shop: 'south' });
    const { updatedAt } = await stored(id);
    const input = { conversationId: id, name: ' Blue  shoes ', meta: { shop: null, tier: 'gold' } };
    const { body } = await service.graphql(UPDATE, { input });
    expect(body.data.updateConversation).toEqual({
      __typename: 'UpdateConversationPayload',
      conversation: { name: 'Blue shoes', meta: { tier: 'gold' }, updatedAt: updatedAt.toISOString() },
    });
    const renamed = await service.graphql(UPDATE, { input: { conversationId: id, name: 'Red shoes' } });
    expect(renamed.body.data.updateConversation.conversation).toMatchObject({
      name: 'Red shoes',
      meta: { tier: 'gold' },
    });
  });

  it('are the same in the SDK', async () => {
    const id = await start({ shop: 'south', tier: 'gold' });
    const { conversation } = clientFor(service);
    await conversation.update(id, { meta: { shop: 'north', tier: null } });
    await conversation.update(id, { name: 'Mine' });
    expect(await stored(id)).toMatchObject({ name: 'Mine', meta: { shop: 'north' } });
    await expect(conversation.update(id, {})).rejects.toMatchObject({ code: 'invalid_request', param: 'name' });
  });

  it('add up if several clients change them at the same time', async () => {
    const id = await start({ first: 'yes' });
    const changes = Array.from({ length: 8 }, (_, index) => change(id, { meta: { [`key${index}`]: index } }));
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await stored(id)).meta).toEqual({ first: 'yes', ...numbered(8) });
    expect((await stored(id)).metaLabels).toHaveLength(9);
  });

  it('can have a key that objects of JavaScript inherit', async () => {
    const id = await start();
    const raw = JSON.stringify({ meta: JSON.parse('{"__proto__":"x"}') });
    const { status } = await service.send('PATCH', `/v1/runner/conversation/${id}`, {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
    expect((await stored(id)).metaLabels).toEqual(['__proto__=x']);
  });

  it('wake the subscribers of the conversation', async () => {
    const id = await start();
    let woken = 0;
    const release = service.service.services.stores.pubSub.subscribe(id, () => {
      woken += 1;
    });
    await change(id, { meta: { seen: true } });
    await expect.poll(() => woken).toBe(1);
    release();
  });
});

describe('labels that are not accepted', () => {
  it.each([
    ['a reserved key', { page: 1 }, /page/],
    ['a key with other characters', { 'a b': 'x' }, /keys of 1 to/],
    ['a value that is an object', { shop: {} }, /finite number or a boolean, or null/],
    ['a value that is too long', { shop: 'x'.repeat(LIMITS.metaLength + 1) }, /at most 512/],
    ['too many keys', numbered(LIMITS.metaKeys + 1), /at most 50 keys/],
  ])('are %s', async (_what, meta, message) => {
    const id = await start({ shop: 'south' });
    expectError(await change(id, { meta }), 'invalid_request', { message });
    expectGraphqlError(await service.graphql(UPDATE, { input: { conversationId: id, meta } }), 'invalid_request');
    expect((await stored(id)).meta).toEqual({ shop: 'south' });
  });

  it('are more than a conversation can have, counted with the stored ones', async () => {
    const id = await start(numbered(LIMITS.metaKeys - 1));
    expect((await change(id, { meta: { last: 'x', key0: 'changed' } })).status).toBe(200);
    const message = /at most 50 keys\. With this change it would have 51: remove some with null/;
    expectError(await change(id, { meta: { more: 'x' } }), 'invalid_request', { param: 'meta', message });
    expect((await change(id, { meta: { more: 'x', last: null } })).status).toBe(200);
    expect(Object.keys((await stored(id)).meta as object)).toHaveLength(LIMITS.metaKeys);
  });

  it.each([{}, { name: null, meta: null }])('are missing in %j', async (body) => {
    expectError(await change(await start(), body), 'invalid_request', { param: 'name', message: /name, meta or both/ });
  });

  it('change nothing if the name is not valid', async () => {
    const id = await start({ shop: 'south' });
    expectError(await change(id, { name: ' ', meta: { shop: 'north' } }), 'invalid_request', { param: 'name' });
    expect((await stored(id)).meta).toEqual({ shop: 'south' });
  });
});

describe('who can change labels', () => {
  it('is a key with conversations:write, in its own environment', async () => {
    const id = await start({ shop: 'south' });
    const input = { conversationId: id, meta: { shop: 'north' } };
    expectError(await change(id, { meta: input.meta }, { key: service.keys.test }), 'not_found');
    expectGraphqlError(await service.graphql(UPDATE, { input }, { key: service.keys.test }), 'not_found');
    expectError(await change(id, { meta: input.meta }, { key: null }), 'unauthorized');
    expect((await stored(id)).meta).toEqual({ shop: 'south' });
  });

  it('is a visitor, for conversations of the deployment', async () => {
    const { id: deployment } = await makeDeployment(service, {}, { hostedPage: true });
    const visitor = withCookies(service, (await visit(service, deployment)).cookie);
    const path = `/v1/runner/${deployment}/conversation`;
    const { body } = await visitor.send('POST', path, { body: { content: textContent('Hello') }, key: null });
    const patch = (id: string) =>
      visitor.send('PATCH', `/v1/runner/conversation/${id}`, { body: { meta: { seen: true } }, key: null });
    expect((await patch(body.conversation_id)).body.meta).toEqual({ seen: true });
    const foreign = await start({ shop: 'south' });
    expect((await patch(foreign)).status).toBeOneOf([401, 404]);
    expect((await stored(foreign)).meta).toEqual({ shop: 'south' });
  });
});
