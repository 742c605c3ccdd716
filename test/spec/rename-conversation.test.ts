import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { withCookies } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const RENAME = `mutation ($id: ID!, $name: String!) { renameConversation(input: { conversationId: $id, name: $name }) {
  __typename ... on RenameConversationPayload { conversation { name updatedAt } }
  ... on InvalidInput { issues { path message } } ... on Error { code message path } } }`;

const start = async (text = 'Where are my shoes?'): Promise<string> => (await service.chat(text)).body.conversation_id;

const pathOf = (id: string) => `/v1/runner/conversation/${id}`;

const rename = (id: string, name: unknown, options: object = {}) =>
  service.send('PATCH', pathOf(id), { body: { name }, ...options });

async function stored(id: string): Promise<{ name: string; updatedAt: Date }> {
  const { prisma } = service.service.services.stores;
  return prisma.conversation.findFirstOrThrow({ where: { id }, select: { name: true, updatedAt: true } });
}

describe('a new name of a conversation', () => {
  it('replaces the name in both APIs and lists, and is no activity', async () => {
    const id = await start();
    const before = await stored(id);
    const response = await rename(id, '  Blue \n shoes ');
    expect([response.status, response.body]).toEqual([200, { conversation_id: id, name: 'Blue shoes', meta: {} }]);
    expect(await stored(id)).toEqual({ name: 'Blue shoes', updatedAt: before.updatedAt });
    const { body } = await service.graphql(RENAME, { id, name: 'Red shoes' });
    expect(body.data.renameConversation).toEqual({
      __typename: 'RenameConversationPayload',
      conversation: { name: 'Red shoes', updatedAt: before.updatedAt.toISOString() },
    });
    const turn = await service.chat('And now?', { conversation_id: id });
    expect(turn.body.name).toBe('Red shoes');
  });

  it.each([LIMITS.conversationNameLength, 1])('can have %i characters', async (length) => {
    const id = await start();
    expect((await rename(id, 'x'.repeat(length))).status).toBe(200);
    expect((await stored(id)).name).toHaveLength(length);
  });

  it('has no control, bidi or invisible characters, and keeps the joiners of words and emoji', async () => {
    const id = await start();
    const name = await rename(id, '\u202eBlue\u202c\u0007 \u200b shoes 👩\u200d🚀');
    expect(name.body.name).toBe('Blue shoes 👩\u200d🚀');
    const { body } = await service.graphql(RENAME, { id, name: '\u2067Red\u2069' });
    expect(body.data.renameConversation.conversation.name).toBe('Red');
  });

  it.each([
    ['too long', 'x'.repeat(LIMITS.conversationNameLength + 1)],
    ['blank', ' \n '],
    ['invisible', '\u200b\u2060 \u3164\u2800\u200d'],
    ['empty', ''],
    ['missing', undefined],
    ['a number', 3],
  ])('is rejected if it is %s', async (_what, name) => {
    const id = await start();
    expectError(await rename(id, name), 'invalid_request', { param: 'name' });
    expect((await stored(id)).name).toBe('Where are my shoes?');
  });

  it('is not replaced by a title of the model that is written later', async () => {
    const { id: deployment } = await makeDeployment(service, { titleModel: true });
    const path = `/v1/runner/${deployment}/conversation`;
    const background = { body: { content: textContent('/slow 1\n/say Hello') }, headers: { prefer: 'respond-async' } };
    const { conversation_id: id } = (await service.send('POST', path, background)).body;
    expect((await rename(id, 'Mine')).status).toBe(200);
    await expect
      .poll(() =>
        service.service.services.stores.prisma.run.count({ where: { conversationId: id, status: 'completed' } }),
      )
      .toBe(1);
    await expect.poll(() => service.service.services.process.runs.activeCount).toBe(0);
    expect((await stored(id)).name).toBe('Mine');
  });
});

describe('who can rename a conversation', () => {
  it('is a key with conversations:write, in its own environment', async () => {
    const id = await start();
    expectError(await rename(id, 'Theirs', { key: service.keys.test }), 'not_found');
    expectGraphqlError(await service.graphql(RENAME, { id, name: 'Theirs' }, { key: service.keys.test }), 'not_found');
    expectError(await rename(id, 'Theirs', { key: null }), 'unauthorized');
    expect((await stored(id)).name).toBe('Where are my shoes?');
  });

  it('is a visitor, for conversations of the deployment', async () => {
    const { id: deployment } = await makeDeployment(service, {}, { hostedPage: true });
    const visitor = withCookies(service, (await visit(service, deployment)).cookie);
    const path = `/v1/runner/${deployment}/conversation`;
    const { body } = await visitor.send('POST', path, { body: { content: textContent('Hello') }, key: null });
    const { conversation_id: id } = body;
    const renamed = await visitor.send('PATCH', pathOf(id), { body: { name: 'My own' }, key: null });
    expect([renamed.status, renamed.body]).toEqual([200, { conversation_id: id, name: 'My own', meta: {} }]);
    const foreign = await start();
    const { status } = await visitor.send('PATCH', pathOf(foreign), { body: { name: 'Taken' }, key: null });
    expect(status).toBeOneOf([401, 404]);
    expect((await stored(foreign)).name).toBe('Where are my shoes?');
  });

  it('is limited for callers without credentials like reads of the conversation', async () => {
    const { id: deployment } = await makeDeployment(service, {}, { hostedPage: true });
    const visitor = withCookies(service, (await visit(service, deployment)).cookie);
    const path = `/v1/runner/${deployment}/conversation`;
    const { body } = await visitor.send('POST', path, { body: { content: textContent('Hello') }, key: null });
    const renamed = await visitor.send('PATCH', pathOf(body.conversation_id), { body: { name: 'Again' }, key: null });
    expect(renamed.headers.get('ratelimit-limit')).toBe('240');
  });
});
