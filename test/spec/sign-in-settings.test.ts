import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { allowPasswords } from '../../src/domain/access/sso/domains.ts';
import { FAKE_CLIENT, type FakeOidc, startFakeOidc } from '../support/fake-oidc.ts';
import { accept, inviteToken } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  callbackOf,
  firstWorkspace,
  giveDomain,
  operatorAt,
  PageClient,
  readSettings,
  updateSettings,
} from '../support/sign-on.ts';
import { makeMember, openSession, openSessionOf } from '../support/tenants.ts';

let service: TestService;
let provider: FakeOidc;
let workspaceId: string;
let owner: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  provider = await startFakeOidc();
  workspaceId = await firstWorkspace(service);
  await giveDomain(service, workspaceId, 'acme.test');
  owner = await openSession(service, 'owner');
});
afterAll(async () => {
  provider.close();
  await service.close();
});

const valid = () => ({ issuer: provider.issuer, ...FAKE_CLIENT, defaultRole: 'VIEWER' });

/** Signs a person in with the provider. Returns their session token. */
async function signOn(sub: string, email: string): Promise<string | undefined> {
  const browser = new PageClient(service);
  const { location } = await browser.open(`/sign-in/oidc?workspace=${workspaceId}`);
  if (!location) throw new Error('There is no redirect');
  provider.plan(location, { claims: { sub, email } });
  await browser.open(callbackOf(location));
  return browser.session;
}

describe('the provider of a workspace', () => {
  it('is saved and returned without its secret, which is stored encrypted', async () => {
    const roleMap = [{ value: 'admins', role: 'ADMIN' }];
    const oidc = { ...valid(), roleClaim: 'groups', roleMap, jitMembership: true };
    const { body } = await updateSettings(service, owner, { oidc });
    const { clientSecret, ...shown } = oidc;
    const expected = {
      oidc: shown,
      ssoOnly: false,
      domains: ['acme.test'],
      redirectUri: `http://127.0.0.1/sign-in/oidc/callback/${workspaceId}`,
    };
    expect(body.data.updateSignInSettings.signInSettings).toEqual(expected);
    const read = await readSettings(service, await openSession(service, 'admin'));
    expect(read.body.data.signInSettings).toEqual(expected);
    const { prisma } = service.service.services.stores;
    const [row] = await prisma.ssoProvider.findMany();
    expect(Buffer.from(row?.sealedClientSecret ?? []).includes(clientSecret)).toBe(false);
    const entries = await prisma.auditEntry.findMany({ where: { action: 'sign_in_settings.updated' } });
    expect(entries).toHaveLength(1);
    expect(JSON.stringify([entries.map(({ details }) => details), service.logLines, body])).not.toContain(clientSecret);
  });

  it('can be changed by owners only, because it vouches for owners as well', async () => {
    const admin = await openSession(service, 'admin');
    for (const input of [{ oidc: valid() }, { oidc: null }]) {
      expect(errorOf(await updateSettings(service, admin, input))?.code).toBe('forbidden');
    }
    expect(errorOf(await updateSettings(service, admin, { ssoOnly: false }))).toBeUndefined();
  });

  it('keeps its secret if a change omits it, but not for another issuer', async () => {
    const { clientSecret: _secret, ...rest } = valid();
    expect(errorOf(await updateSettings(service, owner, { oidc: rest }))).toBeUndefined();
    const moved = await updateSettings(service, owner, { oidc: { ...rest, issuer: `${provider.issuer}/other` } });
    expect(errorOf(moved)).toMatchObject({ code: 'invalid_request', param: 'oidc.clientSecret' });
    expect(await signOn('kept', (await openMember('kept@acme.test')).email)).toBeDefined();
    expect(provider.tokenRequests.at(-1)?.get('code_verifier')).toHaveLength(43);
  });

  it.each<[field: string, input: object]>([
    ['issuer', { issuer: '' }],
    ['issuer', { issuer: 'http://example.com' }],
    ['issuer', { issuer: 'https://10.0.0.1' }],
    ['issuer', { issuer: 'https://169.254.169.254/' }],
    ['issuer', { issuer: 'https://example.com/.well-known/openid-configuration' }],
    ['issuer', { issuer: 'https://example.com?x' }],
    ['issuer', { issuer: `https://example.com/${'x'.repeat(LIMITS.addressLength)}` }],
    ['clientId', { clientId: '' }],
    ['clientId', { clientId: 'x'.repeat(LIMITS.clientIdLength + 1) }],
    ['clientSecret', { clientSecret: '' }],
    ['clientSecret', { clientSecret: 'x'.repeat(LIMITS.clientSecretLength + 1) }],
    ['roleClaim', { roleClaim: 'x'.repeat(LIMITS.claimLength + 1) }],
    ['roleMap', { roleMap: Array(LIMITS.roleMapEntries + 1).fill({ value: 'a', role: 'VIEWER' }) }],
    ['roleMap[0].value', { roleMap: [{ value: 'x'.repeat(LIMITS.claimLength + 1), role: 'VIEWER' }] }],
    ['defaultRole', { defaultRole: 'OWNER' }],
  ])('is rejected with an invalid %s', async (field, input) => {
    const response = await updateSettings(service, owner, { oidc: { ...valid(), ...input } });
    expect(errorOf(response)).toMatchObject({ code: 'invalid_request', param: `oidc.${field}` });
  });

  it('accepts the longest values', async () => {
    const oidc = {
      ...valid(),
      clientId: 'x'.repeat(LIMITS.clientIdLength),
      clientSecret: 'x'.repeat(LIMITS.clientSecretLength),
      roleClaim: 'x'.repeat(LIMITS.claimLength),
      roleMap: Array(LIMITS.roleMapEntries).fill({ value: 'x'.repeat(LIMITS.claimLength), role: 'VIEWER' }),
    };
    expect(errorOf(await updateSettings(service, owner, { oidc }))).toBeUndefined();
    await updateSettings(service, owner, { oidc: valid() });
  });
});

describe('the test of the provider', () => {
  const test = async () => {
    const { body } = await service.graphql(
      'mutation { testSignInSettings { __typename ... on TestSignInSettingsPayload { problem } ... on Error { code message path } } }',
      {},
      { key: owner },
    );
    return body.data.testSignInSettings.problem;
  };

  it('reads its configuration', async () => {
    expect(await test()).toBeNull();
  });

  it('says why the provider cannot be used, without a cache', async () => {
    provider.configuration.issuer = 'https://another.test';
    expect(await test()).toMatch(/not valid/);
    delete provider.configuration.issuer;
    provider.configuration.authorization_endpoint = 'http://example.com/authorize';
    expect(await test()).toBe('The provider names an address that is not an https URL.');
    delete provider.configuration.authorization_endpoint;
    expect(await test()).toBeNull();
  });
});

describe('the addresses that a provider names', () => {
  it('are not requested if they are private', async () => {
    provider.configuration.token_endpoint = 'https://169.254.169.254/token';
    await testAgain();
    const browser = new PageClient(service);
    const { location } = await browser.open(`/sign-in/oidc?workspace=${workspaceId}`);
    if (!location) throw new Error('There is no redirect');
    const page = await browser.open(callbackOf(location));
    expect([page.status, page.text.includes('"provider_failed"')]).toEqual([502, true]);
    expect(service.logLines.at(-1) + (service.logLines.at(-2) ?? '')).toContain('The address is not public.');
    delete provider.configuration.token_endpoint;
    await testAgain();
  });
});

/** Replaces the cached configuration. */
async function testAgain(): Promise<void> {
  await service.graphql('mutation { testSignInSettings { __typename } }', {}, { key: owner });
}

async function openMember(email: string, role: 'owner' | 'developer' = 'developer') {
  const password = 'a long enough password';
  const userId = await makeMember(service, role, { email, password });
  return { userId, email, password };
}

describe('a workspace that requires single sign-on', () => {
  const signIn = (body: object) => service.send('POST', '/v1/sessions', { body, key: null, headers: fresh() });
  let count = 0;
  const fresh = () => {
    count += 1;
    return { 'x-forwarded-for': `192.0.2.${count}` };
  };

  it('needs an administrator who has signed in with the provider', async () => {
    const response = await updateSettings(service, owner, { ssoOnly: true });
    expect(errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'ssoOnly' });
  });

  it('rejects the passwords of its members, ends their sessions, and says so only to who knows the password', async () => {
    const boss = await openMember('boss@acme.test', 'owner');
    const member = await openMember('dev@acme.test');
    const before = await openSessionOf(service, member.userId);
    const session = (await signOn('boss', boss.email)) ?? '';
    expect(errorOf(await updateSettings(service, session, { ssoOnly: true }))).toBeUndefined();
    expect((await service.send('GET', '/v1/me', { key: before })).status).toBe(401);
    expect((await service.send('GET', '/v1/me', { key: session })).status).toBe(200);

    for (const { email, password } of [boss, member]) {
      const right = await signIn({ email, password });
      expect([right.status, right.body.error.message]).toEqual([401, expect.stringContaining('single sign-on')]);
      const named = await signIn({ email, password, workspace_id: workspaceId });
      expect(named.body.error.message).toContain('single sign-on');
      const wrong = await signIn({ email, password: 'wrong' });
      expect(wrong.body.error.message).toBe('The email address or the password is wrong.');
    }
    const { body } = await service.graphql(
      'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on Error { code message } } }',
      { input: { email: member.email, password: member.password } },
      { key: null, headers: fresh() },
    );
    expect(body.data.signIn).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining('single sign-on'),
    });
    expect(await signOn('dev', member.email)).toBeDefined();
  });

  it('admits an invited person by single sign-on, not by the link', async () => {
    const session = (await signOn('boss', 'boss@acme.test')) ?? '';
    const token = await inviteToken(service, session, 'guest@acme.test', 'admin');
    const byLink = await accept(service, { token, name: 'Guest', password: 'long enough password' });
    expect(errorOf(byLink)).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('single sign-on') });
    const guest = (await signOn('guest', 'guest@acme.test')) ?? '';
    const { body } = await service.send('GET', '/v1/me', { key: guest });
    expect(body.data).toMatchObject({ role: 'admin', user: { email: 'guest@acme.test' } });
    const { prisma } = service.service.services.stores;
    expect(await prisma.invitation.count({ where: { email: 'guest@acme.test' } })).toBe(0);
  });

  it('rejects people who are no members, unless the first sign-in makes them members', async () => {
    expect(await signOn('stranger', 'stranger@acme.test')).toBeUndefined();
    const { prisma } = service.service.services.stores;
    expect(await prisma.user.count({ where: { email: 'stranger@acme.test' } })).toBe(0);
  });

  it('accepts passwords again when the operator allows them', async () => {
    const { email, password } = { email: 'dev@acme.test', password: 'a long enough password' };
    const ctx = await operatorAt(service, workspaceId);
    expect([await allowPasswords(ctx), await allowPasswords(ctx)]).toEqual([true, false]);
    expect((await signIn({ email, password })).status).toBe(201);
  });

  it('accepts passwords again when the provider is removed, and forgets no member', async () => {
    const session = (await signOn('boss', 'boss@acme.test')) ?? '';
    expect(errorOf(await updateSettings(service, session, { ssoOnly: true }))).toBeUndefined();
    const { body } = await updateSettings(service, session, { oidc: null });
    expect(body.data.updateSignInSettings.signInSettings).toMatchObject({ oidc: null, ssoOnly: false });
    expect((await signIn({ email: 'boss@acme.test', password: 'a long enough password' })).status).toBe(201);
  });
});
