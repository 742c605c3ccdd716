import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey, openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const CREATE = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { secret apiKey { apiKeyId name masked scopes createdAt rotatedAt revokedAt lastUsedAt } }
}`;

const create = (input: object, key: string = service.keys.live) => service.graphql(CREATE, { input }, { key });

async function made(scopes: readonly string[] = ['events:read', 'resources:read']) {
  const { apiKey, secret } = (await create({ name: 'A server', scopes })).body.data.createApiKey;
  return { id: apiKey.apiKeyId as string, secret: secret as string };
}

const change = (field: 'rotateApiKey' | 'revokeApiKey', id: string) =>
  service.graphql(
    `mutation ($id: ID!) { ${field}(id: $id) ${field === 'rotateApiKey' ? '{ secret apiKey { rotatedAt } }' : '{ revokedAt }'} }`,
    { id },
  );

const status = async (key: string) => (await service.send('GET', '/v1/events', { key })).status;

describe('SPEC 5: API keys', () => {
  it('are made with a name and scopes, and shown once', async () => {
    const { body } = await create({ name: 'A server', scopes: ['events:read'] });
    const { secret, apiKey } = body.data.createApiKey;
    expect(secret).toMatch(/^sk_live_[0-9A-Za-z]{43}$/);
    expect(apiKey).toEqual({
      apiKeyId: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'A server',
      masked: `sk_live_…${secret.slice(-4)}`,
      scopes: ['events:read'],
      createdAt: expect.any(String),
      rotatedAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(await status(secret)).toBe(200);
    const list = await service.graphql('{ apiKeys(first: 100) { nodes { apiKeyId masked } } }');
    expect(JSON.stringify(list.body)).not.toContain(secret);
    expect(list.body.data.apiKeys.nodes[0]).toMatchObject({ apiKeyId: apiKey.apiKeyId });
    const stored = await service.service.services.prisma.apiKey.findUniqueOrThrow({ where: { id: apiKey.apiKeyId } });
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('belong to the environment that they are made in', async () => {
    const session = await openSession(service, 'admin');
    const headers = { 'x-environment': 'test' };
    const answer = await service.graphql(CREATE, { input: { name: 'T', scopes: [] } }, { key: session, headers });
    expect(answer.body.data.createApiKey.secret).toMatch(/^sk_test_/);
  });

  it.each([
    ['no name', { scopes: [] }, 'name'],
    ['a blank name', { name: ' ', scopes: [] }, 'name'],
    ['a long name', { name: 'x'.repeat(101), scopes: [] }, 'name'],
    ['no scopes', { name: 'A' }, 'scopes'],
    ['an unknown scope', { name: 'A', scopes: ['everything'] }, 'scopes[0]'],
    ['a scope twice', { name: 'A', scopes: ['events:read', 'events:read'] }, 'scopes'],
  ])('are not made with %s', async (_what, input, param) => {
    expectGraphqlError(await create(input), 'invalid_request', { param });
  });

  it('give away no scope that whoever makes them does not have', async () => {
    const maker = await makeKey(service, { scopes: ['keys:manage', 'events:read'] });
    expect((await create({ name: 'A', scopes: ['events:read'] }, maker)).body.errors).toBeUndefined();
    const facts = { required_scope: 'resources:write' };
    expectGraphqlError(await create({ name: 'A', scopes: ['resources:write'] }, maker), 'forbidden', { facts });
  });

  it('are rotated: the old secret is 401 at once, the new one holds', async () => {
    const { id, secret } = await made();
    const rotated = await change('rotateApiKey', id);
    const fresh = rotated.body.data.rotateApiKey.secret;
    expect([await status(secret), await status(fresh)]).toEqual([401, 200]);
    expect(rotated.body.data.rotateApiKey.apiKey.rotatedAt).toEqual(expect.any(String));
  });

  it('are revoked for ever', async () => {
    const { id, secret } = await made();
    await change('revokeApiKey', id);
    expect(await status(secret)).toBe(401);
    expectGraphqlError(await change('rotateApiKey', id), 'not_found', { param: 'id' });
    expectGraphqlError(await change('revokeApiKey', id), 'not_found', { param: 'id' });
  });

  it('tell when they were last used', async () => {
    const { id, secret } = await made();
    await status(secret);
    const { prisma } = service.service.services;
    await expect
      .poll(async () => (await prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt)
      .toBeInstanceOf(Date);
  });
});

describe('WIRE 13: a subscription ends with complete', () => {
  const FOLLOW = 'subscription { eventAppended { cursor } }';
  const follow = (key: string) => subscribe(service, FOLLOW, {}, key);

  it.each(['rotateApiKey', 'revokeApiKey'] as const)('when its key goes through %s', async (field) => {
    const { id, secret } = await made();
    const stream = await follow(secret);
    const ended = stream.next();
    await change(field, id);
    expect(await ended).toBeUndefined();
  });

  it('when its session expires or is signed out', async () => {
    const expiring = await follow(await openSession(service, 'viewer', 1_500));
    const token = await openSession(service, 'viewer');
    const leaving = await follow(token);
    await service.graphql('mutation { signOut }', {}, { key: token });
    expect(await leaving.next()).toBeUndefined();
    expect(await expiring.next()).toBeUndefined();
  });

  it('when the server drains', async () => {
    const draining = await startService();
    const stream = await subscribe(draining, FOLLOW, {}, draining.keys.live);
    const ended = stream.next();
    await draining.close();
    expect(await ended).toBeUndefined();
  });
});
