import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/scopes.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf, globalId, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
});
afterAll(() => service.close());

/** Each test signs in from a new IP address, because attempts are limited per address. */
let addresses = 0;
const from = () => {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
};

const SIGN_IN =
  'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token expiresAt sessionId } ... on Error { code message path } } }';

const signIn = (input: object, headers: Record<string, string> = from()) =>
  service.graphql(SIGN_IN, { input }, { key: null, headers });

async function signInToken(): Promise<string> {
  return (await signIn(service.owner)).body.data.signIn.token;
}

const me = (key: string | null, headers: Record<string, string> = {}) =>
  service.send('GET', '/v1/me', { key, headers });

describe('signing in', () => {
  it('opens a session of 24 hours whose token is returned once and not stored', async () => {
    const { status, body } = await signIn({ ...service.owner, email: service.owner.email.toUpperCase() });
    expect(status).toBe(200);
    const { token, expiresAt, sessionId } = body.data.signIn;
    expect(token).toMatch(/^sess_[0-9A-Za-z]{43}$/);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    const { prisma } = service.service.services.stores;
    const stored = await prisma.session.findUniqueOrThrow({ where: { id: sessionId } });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(service.logLines.join()).not.toContain(token);
  });

  it.each([
    ['a wrong password', () => ({ ...service.owner, password: 'wrong and long enough' })],
    ['an empty password', () => ({ ...service.owner, password: '' })],
    ['an unknown address', () => ({ email: 'nobody@example.com', password: service.owner.password })],
  ])('rejects %s with the same message', async (_description, input) => {
    const response = await signIn(input());
    expectGraphqlError(response, 'unauthorized', {
      param: null,
      message: 'The email address or the password is wrong.',
    });
  });

  it('rejects a user without a membership', async () => {
    const user = {
      email: `${randomUUID()}@example.com`,
      name: 'Nobody',
      passwordHash: await hash('long enough it is'),
    };
    await service.service.services.stores.prisma.user.create({
      data: { id: randomUUID(), ...user, createdAt: new Date() },
    });
    expectGraphqlError(await signIn({ email: user.email, password: 'long enough it is' }), 'unauthorized');
  });

  it('accepts 10 attempts per minute by account and by IP address', async () => {
    const email = `${randomUUID()}@example.com`;
    const attempt = (address: Record<string, string>, account = email) =>
      signIn({ email: account, password: 'x' }, address);
    for (let count = 0; count < 10; count += 1) expectGraphqlError(await attempt(from()), 'unauthorized');
    const rejected = await attempt(from());
    expectGraphqlError(rejected, 'rate_limited');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    const address = from();
    for (let count = 0; count < 10; count += 1) await attempt(address, `${count}@example.com`);
    expectGraphqlError(await attempt(address, 'another@example.com'), 'rate_limited');
  });
});

describe('GET /v1/me', () => {
  it('returns the caller and their permissions', async () => {
    const { body } = await me(await signInToken());
    expect(body).toEqual({
      data: {
        user: { id: expect.any(String), email: service.owner.email, name: 'Owner' },
        workspace: { id: expect.any(String), name: 'Demo' },
        role: 'owner',
        environment: 'live',
        scopes: [...SCOPES],
        expires_at: expect.any(String),
      },
    });
  });

  it('acts in the environment in x-environment', async () => {
    const token = await signInToken();
    expect((await me(token, { 'x-environment': 'test' })).body.data.environment).toBe('test');
    expectError(await me(token, { 'x-environment': 'stage' }), 'invalid_request', { param: 'x-environment' });
    const created = await service.send('POST', '/v1/resources', {
      key: token,
      headers: { 'x-environment': 'test' },
      body: { type: 'note', fields: {} },
    });
    const path = `/v1/resources/${created.body.data.id}`;
    expect((await service.send('GET', path, { key: service.keys.test })).status).toBe(200);
    expect((await service.send('GET', path, { key: service.keys.live })).status).toBe(404);
  });

  it('returns 401 for an expired session, an unknown one, and one in x-api-key', async () => {
    expectError(await me(await openSession(service, 'owner', -1)), 'unauthorized');
    expectError(await me(`sess_${'a'.repeat(43)}`), 'unauthorized');
    const token = await signInToken();
    expectError(await me(null, { 'x-api-key': token }), 'unauthorized');
  });
});

describe('a session has the scopes of its role', () => {
  it.each([
    ['admin', [...SCOPES]],
    ['developer', SCOPES.filter((scope) => scope !== 'keys:manage')],
    ['viewer', SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'traces:read')],
  ] as const)('%s', async (role, scopes) => {
    const token = await openSession(service, role);
    expect((await me(token)).body.data).toMatchObject({ role, scopes });
  });
});

describe('the sessions of a member', () => {
  it('are listed and revoked one by one', async () => {
    const [own, other] = [await signInToken(), await signInToken()];
    const list = 'query { sessions { sessionId isCurrent address userAgent } }';
    const { body } = await service.graphql(list, {}, { key: own });
    const current = body.data.sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    expect(current).toHaveLength(1);
    expect(current[0].address).toMatch(/^203\.0\.113\./);
    const received = (await service.graphql(list, {}, { key: other })).body.data.sessions;
    const { sessionId } = received.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    const end =
      'mutation ($id: ID!) { revokeSession(input: { sessionId: $id }) { __typename ... on RevokeSessionPayload { deletedId } ... on Error { code message path } } }';
    const ended = resultOf(await service.graphql(end, { id: sessionId }, { key: own }));
    expect(ended).toBe(globalId('Session', sessionId));
    expect((await me(other)).status).toBe(401);
    expectGraphqlError(await service.graphql(end, { id: sessionId }, { key: own }), 'not_found');
    const foreign = await openSession(service, 'viewer');
    const theirs = (await service.graphql(list, {}, { key: foreign })).body.data.sessions;
    expect(theirs).toHaveLength(1);
    expectGraphqlError(await service.graphql(end, { id: theirs[0].sessionId }, { key: own }), 'not_found');
    const signOut =
      'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }';
    expect(resultOf(await service.graphql(signOut, {}, { key: own }))).toBe(globalId('Session', current[0].sessionId));
    expect((await me(own)).status).toBe(401);
  });

  it('are revoked by a password change, except the one that makes the change', async () => {
    const { prisma } = service.service.services.stores;
    const email = `${randomUUID()}@example.com`;
    const { workspaceId } = await prisma.membership.findFirstOrThrow();
    const createdAt = new Date();
    const passwordHash = await hash('the first of two passwords');
    const user = await prisma.user.create({ data: { id: randomUUID(), email, name: 'U', passwordHash, createdAt } });
    await prisma.membership.create({ data: { workspaceId, userId: user.id, role: 'viewer', createdAt } });
    const open = async (password: string) => (await signIn({ email, password })).body.data?.signIn?.token;
    const [own, other] = [await open('the first of two passwords'), await open('the first of two passwords')];
    const change = (currentPassword: string, newPassword: string) =>
      service.graphql(
        'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { __typename ... on ChangePasswordPayload { me { role } } ... on Error { code message path } } }',
        { input: { currentPassword, newPassword } },
        { key: own },
      );
    expectGraphqlError(await change('wrong', 'long enough to be one'), 'invalid_request', { param: 'currentPassword' });
    expectGraphqlError(await change('the first of two passwords', 'short'), 'invalid_request', {
      param: 'newPassword',
    });
    expect(errorOf(await change('the first of two passwords', 'the second of two passwords'))).toBeUndefined();
    expect([(await me(own)).status, (await me(other)).status]).toEqual([200, 401]);
    expect(await open('the first of two passwords')).toBeUndefined();
    expect(await open('the second of two passwords')).toMatch(/^sess_/);
  });
});
