import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/scopes.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
});
afterAll(() => service.close());

/** Each test signs in from an address of its own, since attempts are limited by address. */
let addresses = 0;
const from = () => {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
};

const SIGN_IN = 'mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt sessionId } }';

const signIn = (input: object, headers: Record<string, string> = from()) =>
  service.graphql(SIGN_IN, { input }, { key: null, headers });

async function signedIn(): Promise<string> {
  return (await signIn(service.owner)).body.data.signIn.token;
}

const me = (key: string | null, headers: Record<string, string> = {}) =>
  service.send('GET', '/v1/me', { key, headers });

describe('SPEC 5: signing in', () => {
  it('opens a session of 24 hours, whose token is told once and stored nowhere', async () => {
    const { status, body } = await signIn({ ...service.owner, email: service.owner.email.toUpperCase() });
    expect(status).toBe(200);
    const { token, expiresAt, sessionId } = body.data.signIn;
    expect(token).toMatch(/^sess_[0-9A-Za-z]{43}$/);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    const { prisma } = service.service.services;
    const stored = await prisma.session.findUniqueOrThrow({ where: { id: sessionId } });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(service.logged.join()).not.toContain(token);
  });

  it.each([
    ['a wrong password', () => ({ ...service.owner, password: 'wrong and long enough' })],
    ['an empty password', () => ({ ...service.owner, password: '' })],
    ['an unknown address', () => ({ email: 'nobody@example.com', password: service.owner.password })],
  ])('refuses %s in the same words', async (_what, input) => {
    const answer = await signIn(input());
    expect(answer.status).toBe(401);
    expectGraphqlError(answer, 'unauthorized', {
      param: null,
      message: 'The e-mail address or the password is wrong.',
    });
  });

  it('refuses a user who is a member nowhere', async () => {
    const user = {
      email: `${randomUUID()}@example.com`,
      name: 'Nobody',
      passwordHash: await hash('long enough it is'),
    };
    await service.service.services.prisma.user.create({ data: { id: randomUUID(), ...user, createdAt: new Date() } });
    expectGraphqlError(await signIn({ email: user.email, password: 'long enough it is' }), 'unauthorized');
  });

  it('takes 10 attempts a minute by account, and by address', async () => {
    const email = `${randomUUID()}@example.com`;
    const attempt = (address: Record<string, string>, account = email) =>
      signIn({ email: account, password: 'x' }, address);
    for (let count = 0; count < 10; count += 1) expectGraphqlError(await attempt(from()), 'unauthorized');
    const refused = await attempt(from());
    expectGraphqlError(refused, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const address = from();
    for (let count = 0; count < 10; count += 1) await attempt(address, `${count}@example.com`);
    expectGraphqlError(await attempt(address, 'another@example.com'), 'rate_limited');
  });
});

describe('SPEC 4.10: GET /v1/me', () => {
  it('tells who asks, and what they may do', async () => {
    const { body } = await me(await signedIn());
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

  it('acts in the environment that x-environment names', async () => {
    const token = await signedIn();
    expect((await me(token, { 'x-environment': 'test' })).body.data.environment).toBe('test');
    expectError(await me(token, { 'x-environment': 'stage' }), 'invalid_request', { param: 'x-environment' });
    const made = await service.send('POST', '/v1/resources', {
      key: token,
      headers: { 'x-environment': 'test' },
      body: { type: 'note', fields: {} },
    });
    const path = `/v1/resources/${made.body.data.id}`;
    expect((await service.send('GET', path, { key: service.keys.test })).status).toBe(200);
    expect((await service.send('GET', path, { key: service.keys.live })).status).toBe(404);
  });

  it('is 401 for a session that has expired, one that never was, and one in x-api-key', async () => {
    expectError(await me(await openSession(service, 'owner', -1)), 'unauthorized');
    expectError(await me(`sess_${'a'.repeat(43)}`), 'unauthorized');
    const token = await signedIn();
    expectError(await me(null, { 'x-api-key': token }), 'unauthorized');
  });
});

describe('WIRE 4: a session has the scopes of its role', () => {
  it.each([
    ['admin', [...SCOPES]],
    ['developer', SCOPES.filter((scope) => scope !== 'keys:manage')],
    ['viewer', SCOPES.filter((scope) => scope.endsWith(':read'))],
  ] as const)('%s', async (role, scopes) => {
    const token = await openSession(service, role);
    expect((await me(token)).body.data).toMatchObject({ role, scopes });
  });
});

describe('sessions of a member', () => {
  it('are listed, and ended one by one', async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    const list = 'query { sessions { sessionId isCurrent address userAgent } }';
    const { body } = await service.graphql(list, {}, { key: mine });
    const current = body.data.sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    expect(current).toHaveLength(1);
    expect(current[0].address).toMatch(/^203\.0\.113\./);
    const seen = (await service.graphql(list, {}, { key: other })).body.data.sessions;
    const { sessionId } = seen.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    const end = 'mutation ($id: UUID!) { revokeSession(sessionId: $id) }';
    expect((await service.graphql(end, { id: sessionId }, { key: mine })).body.data.revokeSession).toBe(true);
    expect((await me(other)).status).toBe(401);
    expectGraphqlError(await service.graphql(end, { id: sessionId }, { key: mine }), 'not_found');
    const foreign = await openSession(service, 'viewer');
    const theirs = (await service.graphql(list, {}, { key: foreign })).body.data.sessions;
    expect(theirs).toHaveLength(1);
    expectGraphqlError(await service.graphql(end, { id: theirs[0].sessionId }, { key: mine }), 'not_found');
    expect((await service.graphql('mutation { signOut }', {}, { key: mine })).body.data.signOut).toBe(true);
    expect((await me(mine)).status).toBe(401);
  });

  it('end with a change of the password, but for the one that changes it', async () => {
    const { prisma } = service.service.services;
    const email = `${randomUUID()}@example.com`;
    const { workspaceId } = await prisma.membership.findFirstOrThrow();
    const createdAt = new Date();
    const passwordHash = await hash('the first of two passwords');
    const user = await prisma.user.create({ data: { id: randomUUID(), email, name: 'U', passwordHash, createdAt } });
    await prisma.membership.create({ data: { workspaceId, userId: user.id, role: 'viewer', createdAt } });
    const open = async (password: string) => (await signIn({ email, password })).body.data?.signIn.token;
    const [mine, other] = [await open('the first of two passwords'), await open('the first of two passwords')];
    const change = (currentPassword: string, newPassword: string) =>
      service.graphql(
        'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
        { input: { currentPassword, newPassword } },
        { key: mine },
      );
    expectGraphqlError(await change('wrong', 'long enough to be one'), 'invalid_request', { param: 'currentPassword' });
    expectGraphqlError(await change('the first of two passwords', 'short'), 'invalid_request', {
      param: 'newPassword',
    });
    expect((await change('the first of two passwords', 'the second of two passwords')).body.errors).toBeUndefined();
    expect([(await me(mine)).status, (await me(other)).status]).toEqual([200, 401]);
    expect(await open('the first of two passwords')).toBeUndefined();
    expect(await open('the second of two passwords')).toMatch(/^sess_/);
  });
});
