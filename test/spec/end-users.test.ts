import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { CREATE_TOKEN, type EndUsers, endUsersOf, endUserToken, REVOKE_TOKENS, said } from '../support/end-users.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { busyMs } from '../support/event-loop.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
let users: EndUsers;
beforeAll(async () => {
  service = await startService();
  users = endUsersOf(service, DEMO_CHAT_ID);
});
afterAll(() => service.close());

describe('a token of an end user', () => {
  it('is created for a user and a deployment, and stored only as a hash', async () => {
    const input = { deploymentId: DEMO_CHAT_ID, endUser: 'ada@example.com', ttlSeconds: 60 };
    const { body } = await service.graphql(CREATE_TOKEN, { input });
    const { token, expiresAt, ...rest } = body.data.createEndUserToken;
    expect(token).toMatch(/^eut_live_[0-9A-Za-z]{43}$/);
    expect(rest).toMatchObject({ endUser: 'ada@example.com', deploymentId: DEMO_CHAT_ID });
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    const rows = await service.service.services.stores.prisma.endUserToken.findMany();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it.each([
    ['too short a time', { ttlSeconds: 0 }, 'ttlSeconds'],
    ['too long a time', { ttlSeconds: LIMITS.endUserTokenSeconds + 1 }, 'ttlSeconds'],
    ['a blank user', { endUser: ' ' }, 'endUser'],
    ['a long user', { endUser: 'x'.repeat(LIMITS.endUserLength + 1) }, 'endUser'],
    ['no scopes', { scopes: [] }, 'scopes'],
    ['another scope', { scopes: ['EVENTS_READ'] }, 'scopes[0]'],
  ])('is not created with %s', async (_description, fields, param) => {
    const input = { deploymentId: DEMO_CHAT_ID, endUser: 'ada', ttlSeconds: 60, ...fields };
    expectGraphqlError(await service.graphql(CREATE_TOKEN, { input }), 'invalid_request', { param });
  });

  it('needs only the scope end_users:manage', async () => {
    const input = { deploymentId: DEMO_CHAT_ID, endUser: 'ada', ttlSeconds: 60 };
    const send = async (scopes: Parameters<typeof makeKey>[1]) =>
      service.graphql(CREATE_TOKEN, { input }, { key: await makeKey(service, scopes) });
    const other = await send({ scopes: ['conversations:read', 'conversations:write'] });
    expectGraphqlError(other, 'forbidden', { facts: { required_scope: 'end_users:manage' } });
    expect(errorOf(await send({ scopes: ['end_users:manage'] }))).toBeUndefined();
  });

  it('is 401 after it has expired, and its open stream ends within a second', async () => {
    const id = await users.start(await users.tokenOf('brief'));
    const token = await users.tokenOf('brief', { ttlSeconds: 4 });
    const expiry = Date.now() + 4_000;
    const stream = await subscribe(
      service,
      'subscription ($id: ID!) { conversationChanged(conversationId: $id) { cursor } }',
      { id },
      token,
    );
    let event = await stream.next();
    while (event !== undefined) event = await stream.next();
    expect(Date.now()).toBeLessThan(expiry + busyMs(1_000));
    await expect.poll(async () => (await users.read(token, id)).status).toBe(401);
  });

  it('is revoked with all tokens of its user, and the streams of the user end', async () => {
    const [first, second, other] = [
      await users.tokenOf('gone'),
      await users.tokenOf('gone'),
      await users.tokenOf('stays'),
    ];
    const id = await users.start(first);
    const follow = 'subscription { conversationsChanged { conversationId } }';
    const streams = await Promise.all([first, second].map((key) => subscribe(service, follow, {}, key)));
    const ended = Promise.all(streams.map((stream) => stream.next()));
    const revoked = await service.graphql(REVOKE_TOKENS, { input: { endUser: 'gone' } });
    expect(revoked.body.data.revokeEndUserTokens.tokens).toBe(2);
    const revokedAt = Date.now();
    expect(await ended).toEqual([undefined, undefined]);
    expect(Date.now() - revokedAt).toBeLessThan(busyMs(1_000));
    expect([(await users.read(first, id)).status, (await users.read(second, id)).status]).toEqual([401, 401]);
    expect((await users.chat(other, 'Hello')).status).toBe(200);
    // The conversation is still there for the next token.
    expect((await users.read(await users.tokenOf('gone'), id)).status).toBe(200);
  });

  it('works as a bearer token only, and for one environment', async () => {
    const token = await users.tokenOf('ada');
    const headers = { 'x-api-key': token };
    expect((await service.send('GET', '/v1/runner/conversations', { key: null, headers })).status).toBe(401);
    const { body } = await service.graphql(
      CREATE_TOKEN,
      { input: { deploymentId: DEMO_CHAT_ID, endUser: 'ada', ttlSeconds: 60 } },
      { key: service.keys.test },
    );
    const other = body.data.createEndUserToken.token;
    expect(other).toMatch(/^eut_test_/);
    const id = await users.start(token);
    expect((await users.read(other, id)).status).toBe(404);
  });
});

describe('an end user', () => {
  it('lists and follows only their own conversations', async () => {
    const [mine, theirs] = [await users.tokenOf('lister'), await users.tokenOf('other lister')];
    const stream = await subscribe(
      service,
      'subscription { conversationsChanged { conversation { conversationId } } }',
      {},
      mine,
    );
    await users.start(theirs);
    await service.chat('Of nobody');
    const id = await users.start(mine);
    expect((await stream.next()).data.conversationsChanged.conversation.conversationId).toBe(id);
    const { body } = await service.graphql(
      '{ conversations(first: 100) { totalCount nodes { conversationId } } foreign: conversations(filter: { endUser: "other lister" }) { totalCount } }',
      {},
      { key: mine },
    );
    expect(body.data).toEqual({
      conversations: { totalCount: 1, nodes: [{ conversationId: id }] },
      foreign: { totalCount: 0 },
    });
    const page = await service.send('GET', `/v1/runner/${DEMO_CHAT_ID}/conversations`, { key: mine });
    expect(page.body).toMatchObject({ total: 1, items: [{ conversation_id: id }] });
    await stream.close();
  });

  it('renames, rates, exports and deletes their own conversation', async () => {
    const token = await users.tokenOf('editor');
    const id = await users.start(token);
    const path = `/v1/runner/conversation/${id}`;
    expect((await service.send('PATCH', path, { key: token, body: { name: 'Mine' } })).status).toBe(200);
    const reply = (await users.read(token, id)).body.items.at(-1).id;
    const rating = `${path}/messages/${reply}/rating`;
    expect((await service.send('PUT', rating, { key: token, body: { rating: 'up' } })).status).toBe(200);
    const exported = await service.send('GET', `/v1/conversations/${id}/export`, { key: token });
    expect(exported.body).toContain('"end_user":"editor"');
    const remove =
      'mutation ($input: DeleteConversationInput!) { deleteConversation(input: $input) { ... on DeleteConversationPayload { conversationId } ... on Error { code } } }';
    const deleted = await service.graphql(remove, { input: { conversationId: id } }, { key: token });
    expect(deleted.body.data.deleteConversation).toEqual({ conversationId: id });
    expect((await users.read(token, id)).status).toBe(404);
    const { prisma } = service.service.services.stores;
    const [entry] = await prisma.auditEntry.findMany({ where: { action: 'conversation.deleted', subjectId: id } });
    expect(entry).toMatchObject({ actorKind: 'end_user', actorId: expect.stringMatching(/^eut_/) });
  });

  it('cannot use another deployment, one-shot runs, or anything of the workspace', async () => {
    const token = await users.tokenOf('guest');
    expect((await users.chat(token, 'Hello', {}, DEMO_AGENT_ID)).status).toBe(404);
    expect((await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}`, { key: token, body: said('Hi') })).status).toBe(
      403,
    );
    for (const path of ['/v1/resources', '/v1/events', '/v1/export']) {
      expect((await service.send('GET', path, { key: token })).status).toBe(403);
    }
  });

  it('without conversations:write can only read', async () => {
    const token = await users.tokenOf('reader');
    const id = await users.start(token);
    const reader = await users.tokenOf('reader', { scopes: ['CONVERSATIONS_READ'] });
    expect((await users.read(reader, id)).status).toBe(200);
    expect((await users.chat(reader, 'Hello', { conversation_id: id })).status).toBe(403);
  });

  it('starts a conversation under an ID of their own choice, which stays theirs', async () => {
    const [token, other] = [
      await endUserToken(service, DEMO_AGENT_ID, 'chooser'),
      await endUserToken(service, DEMO_AGENT_ID, 'thief'),
    ];
    const id = crypto.randomUUID();
    const turn = (key: string) =>
      service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
        key,
        body: said('Hello', { conversation_id: id, start_if_missing: true }),
      });
    const responses = await Promise.all([turn(token), turn(other)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it('has a limit of turns per minute', async () => {
    const token = await users.tokenOf('talker');
    const id = await users.start(token);
    const { points } = RATE_LIMITS.endUserTurns;
    for (let turn = 1; turn < points; turn += 1) {
      expect((await users.chat(token, 'More', { conversation_id: id })).status).toBe(200);
    }
    const limited = await users.chat(await users.tokenOf('talker'), 'Too much');
    expect([limited.status, limited.headers.get('ratelimit-limit')]).toEqual([429, String(points)]);
    expect((await users.chat(await users.tokenOf('quiet'), 'Hello')).status).toBe(200);
  });

  it('retries a turn with its idempotency key and the next token, and shares no key with others', async () => {
    const headers = { 'idempotency-key': 'turn-1' };
    const send = (key: string) =>
      service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, headers, body: said('Once') });
    const first = await send(await users.tokenOf('retrier'));
    const second = await send(await users.tokenOf('retrier'));
    const other = await send(await users.tokenOf('other retrier'));
    expect(second.body).toEqual(first.body);
    expect(other.body.conversation_id).not.toBe(first.body.conversation_id);
  });

  it('needs one statement for its token', async () => {
    const token = await users.tokenOf('cheap');
    // An empty list, so that both read the same rows.
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversations?label=unknown`;
    const count = async (key: string) => {
      service.takeStatements();
      expect((await service.send('GET', path, { key })).status).toBe(200);
      return service.takeStatements().length;
    };
    expect(await count(token)).toBe(await count(service.keys.live));
  });
});
