import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { ACCEPT_MULTIPART } from '../support/multipart.ts';
import { errorOf, mutationOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey, openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const CREATE = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { __typename ... on CreateApiKeyPayload { secret apiKey { apiKeyId name masked scopes createdAt rotatedAt revokedAt lastUsedAt } } ... on Error { code message path } }
}`;

const create = (input: object, key: string = service.keys.live) => service.graphql(CREATE, { input }, { key });

async function created(scopes: readonly string[] = ['EVENTS_READ', 'RESOURCES_READ']) {
  const { apiKey, secret } = (await create({ name: 'A server', scopes })).body.data.createApiKey;
  return { id: apiKey.apiKeyId as string, secret: secret as string };
}

const change = (field: 'rotateApiKey' | 'revokeApiKey', id: string) =>
  service.graphql(
    mutationOf(field, field === 'rotateApiKey' ? '{ secret apiKey { rotatedAt } }' : '{ apiKey { revokedAt } }'),
    { input: { id } },
  );

const status = async (key: string) => (await service.send('GET', '/v1/events', { key })).status;

describe('API keys', () => {
  it('are created with a name and scopes, and shown once', async () => {
    const { body } = await create({ name: 'A server', scopes: ['EVENTS_READ'] });
    const { secret, apiKey } = body.data.createApiKey;
    expect(secret).toMatch(/^sk_live_[0-9A-Za-z]{43}$/);
    expect(apiKey).toEqual({
      apiKeyId: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'A server',
      masked: `sk_live_…${secret.slice(-4)}`,
      scopes: ['EVENTS_READ'],
      createdAt: expect.any(String),
      rotatedAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(await status(secret)).toBe(200);
    const list = await service.graphql('{ apiKeys(first: 100) { nodes { apiKeyId masked } } }');
    expect(JSON.stringify(list.body)).not.toContain(secret);
    expect(list.body.data.apiKeys.nodes[0]).toMatchObject({ apiKeyId: apiKey.apiKeyId });
    const stored = await service.service.services.stores.prisma.apiKey.findUniqueOrThrow({
      where: { id: apiKey.apiKeyId },
    });
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('belong to the environment in which they are created', async () => {
    const session = await openSession(service, 'admin');
    const headers = { 'x-environment': 'test' };
    const response = await service.graphql(CREATE, { input: { name: 'T', scopes: [] } }, { key: session, headers });
    expect(response.body.data.createApiKey.secret).toMatch(/^sk_test_/);
  });

  it.each([
    ['no name', { scopes: [] }, 'name'],
    ['a blank name', { name: ' ', scopes: [] }, 'name'],
    ['a long name', { name: 'x'.repeat(101), scopes: [] }, 'name'],
    ['no scopes', { name: 'A' }, 'scopes'],
    ['an unknown scope', { name: 'A', scopes: ['everything'] }, 'scopes[0]'],
    ['a scope twice', { name: 'A', scopes: ['EVENTS_READ', 'EVENTS_READ'] }, 'scopes'],
  ])('are not created with %s', async (_description, input, param) => {
    expectGraphqlError(await create(input), 'invalid_request', { param });
  });

  it('cannot have a scope that their creator lacks', async () => {
    const maker = await makeKey(service, { scopes: ['keys:manage', 'events:read'] });
    expect(errorOf(await create({ name: 'A', scopes: ['EVENTS_READ'] }, maker))).toBeUndefined();
    const facts = { required_scope: 'resources:write' };
    expectGraphqlError(await create({ name: 'A', scopes: ['RESOURCES_WRITE'] }, maker), 'forbidden', { facts });
  });

  it('rotate: the old secret gets 401 at once and the new one works', async () => {
    const { id, secret } = await created();
    const rotated = await change('rotateApiKey', id);
    const fresh = rotated.body.data.rotateApiKey.secret;
    expect([await status(secret), await status(fresh)]).toEqual([401, 200]);
    expect(rotated.body.data.rotateApiKey.apiKey.rotatedAt).toEqual(expect.any(String));
  });

  it('stay revoked', async () => {
    const { id, secret } = await created();
    await change('revokeApiKey', id);
    expect(await status(secret)).toBe(401);
    expectGraphqlError(await change('rotateApiKey', id), 'not_found', { param: 'id' });
    expectGraphqlError(await change('revokeApiKey', id), 'not_found', { param: 'id' });
  });

  it('show when they were last used', async () => {
    const { id, secret } = await created();
    await status(secret);
    const { prisma } = service.service.services.stores;
    await expect
      .poll(async () => (await prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt)
      .toBeInstanceOf(Date);
  });
});

describe.each([
  ['over SSE', 'text/event-stream'],
  ['in a multipart response', ACCEPT_MULTIPART],
])('a subscription %s ends with complete', (_format, accept) => {
  const FOLLOW = 'subscription { eventAppended { cursor } }';
  const follow = (key: string) => subscribe(service, FOLLOW, {}, key, { accept });

  it.each(['rotateApiKey', 'revokeApiKey'] as const)('when its key is changed by %s', async (field) => {
    const { id, secret } = await created();
    const stream = await follow(secret);
    const ended = stream.next();
    await change(field, id);
    expect(await ended).toBeUndefined();
  });

  it('when its session expires or is signed out', async () => {
    const expiring = await follow(await openSession(service, 'viewer', 1_500));
    const token = await openSession(service, 'viewer');
    const leaving = await follow(token);
    await service.graphql(
      'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
      {},
      { key: token },
    );
    expect(await leaving.next()).toBeUndefined();
    expect(await expiring.next()).toBeUndefined();
  });
});
