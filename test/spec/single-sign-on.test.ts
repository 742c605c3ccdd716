import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeOidc, startFakeOidc, type TokenPlan } from '../support/fake-oidc.ts';
import { startService, type TestService } from '../support/service.ts';
import { callbackOf, giveDomain, PageClient, problemOn, saveProvider } from '../support/sign-on.ts';
import { makeMember, makeWorkspace, type Workspace } from '../support/tenants.ts';

let service: TestService;
let provider: FakeOidc;
let workspaceId: string;
let another: Workspace;
let evil: FakeOidc;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  [provider, evil] = [await startFakeOidc(), await startFakeOidc()];
  workspaceId = await saveProvider(service, provider.issuer, { domain: 'acme.test' });
  another = await makeWorkspace(service);
  const owner = await makeMember(service, 'owner', { workspaceId: another.id });
  await saveProvider(service, evil.issuer, { workspaceId: another.id, domain: 'evil.test', owner });
});
afterAll(async () => {
  provider.close();
  evil.close();
  await service.close();
});

const begin = async (browser: PageClient, target = `workspace=${workspaceId}`) => {
  const { location } = await browser.open(`/sign-in/oidc?${target}`);
  if (!location) throw new Error('There is no redirect');
  return location;
};

/** A whole sign-on, in which the provider sends the planned token. */
async function signOn(plan: TokenPlan, browser = new PageClient(service)) {
  const authorization = await begin(browser);
  provider.plan(authorization, plan);
  const page = await browser.open(callbackOf(authorization));
  return { browser, authorization, page };
}

const me = async (browser: PageClient) => {
  const { body } = await service.send('GET', '/v1/me', { key: browser.session ?? null });
  return body.data;
};

describe('a correct response', () => {
  it('makes the person a member with the default role and signs them in for 24 hours', async () => {
    const { browser, page } = await signOn({ claims: { sub: 'new-1', email: 'New@Acme.test', name: 'New\nPerson' } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('content="0;url=http://127.0.0.1/dashboard"');
    const { user, workspace, role, expires_at } = await me(browser);
    expect(user).toMatchObject({ email: 'new@acme.test', name: 'New Person' });
    expect([workspace.id, role]).toEqual([workspaceId, 'viewer']);
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(browser.cookies.has('parley_sign_on')).toBe(false);
  });

  it('finds the member again by their ID at the provider, also with another address of the workspace', async () => {
    const first = await signOn({ claims: { sub: 'same', email: 'before@acme.test' } });
    const second = await signOn({ claims: { sub: 'same', email: 'after@acme.test' } });
    expect((await me(second.browser)).user).toEqual((await me(first.browser)).user);
  });

  it('reads the email address from the user info if it is not in the ID token', async () => {
    const userInfo = { sub: 'info', email: 'info@acme.test', email_verified: true };
    const { browser } = await signOn({ claims: { sub: 'info' }, without: ['email', 'email_verified'], userInfo });
    expect((await me(browser)).user.email).toBe('info@acme.test');
  });

  it('links an existing member by their verified address of the workspace', async () => {
    const userId = await makeMember(service, 'developer', { email: 'old@acme.test' });
    const { browser } = await signOn({ claims: { sub: 'old', email: 'old@acme.test' } });
    expect(await me(browser)).toMatchObject({ user: { id: userId }, role: 'developer' });
  });
});

describe('a response that breaks a rule', () => {
  const refuses = async (plan: TokenPlan, problem: string) => {
    const { browser, page } = await signOn({ ...plan, claims: { sub: 'attacker', ...plan.claims } });
    expect([page.status >= 400, problemOn(page)]).toEqual([true, problem]);
    expect(browser.session).toBeUndefined();
    const subject = String(plan.claims?.sub ?? 'attacker');
    expect(await service.service.services.stores.prisma.ssoIdentity.count({ where: { subject } })).toBe(0);
  };

  it.each<[what: string, plan: TokenPlan]>([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { without: ['nonce'] }],
    ['another audience', { claims: { aud: 'another client' } }],
    ['another issuer', { claims: { iss: 'https://another.test' } }],
    ['an expired token', { claims: { exp: Math.floor(Date.now() / 1000) - 60 } }],
    ['no expiry', { without: ['exp'] }],
    ['no signature', { signature: 'unsigned' }],
    ['a signature with the client secret (HS256)', { signature: 'HS256' }],
    ['a signature of an unknown key', { signature: 'unknown key' }],
    ['a broken signature', { signature: 'broken' }],
    ['an ID that is too long', { claims: { sub: 'x'.repeat(256) } }],
    ['user info about another person', { without: ['email'], userInfo: { sub: 'other', email: 'a@acme.test' } }],
  ])('is refused: %s', (_what, plan) => refuses(plan, 'response_invalid'));

  it.each<[what: string, plan: TokenPlan]>([
    ['an unverified address', { claims: { email_verified: false } }],
    ['an address of unknown verification', { without: ['email_verified'] }],
    ['no address', { without: ['email'], userInfo: { sub: 'attacker' } }],
    ['a list of addresses', { claims: { email: 'ada@acme.test, eve@evil.test' } }],
  ])('is refused: %s', (_what, plan) => refuses(plan, 'email_not_verified'));

  it.each(['ada@evil.test', 'ada@sub.acme.test', 'ada@acme.test.evil.test', 'ada@notacme.test'])(
    'is refused: an address of another domain, %s',
    (email) => refuses({ claims: { email } }, 'domain_not_allowed'),
  );

  it('is refused for another account of the provider with the address of a linked member', async () => {
    await signOn({ claims: { sub: 'employee', email: 'shared@acme.test' } });
    await refuses({ claims: { sub: 'successor', email: 'shared@acme.test' } }, 'other_account');
  });

  it('is refused if the user cancels, and shows why', async () => {
    const browser = new PageClient(service);
    const authorization = await begin(browser);
    const state = authorization.searchParams.get('state') ?? '';
    const { pathname } = new URL(callbackOf(authorization), service.url);
    const page = await browser.open(`${pathname}?${new URLSearchParams({ error: 'access_denied', state })}`);
    expect([page.status, problemOn(page)]).toEqual([403, 'provider_denied']);
  });

  it('is refused if it is too long', async () => {
    const browser = new PageClient(service);
    const page = await browser.open(callbackOf(await begin(browser), { code: 'x'.repeat(8_000) }));
    expect(problemOn(page)).toBe('response_invalid');
  });
});

describe('an attempt', () => {
  it('does not work with another state, or without one', async () => {
    for (const state of ['another', '']) {
      const browser = new PageClient(service);
      const page = await browser.open(callbackOf(await begin(browser), { state }));
      expect([page.status, problemOn(page)]).toEqual([400, 'attempt_expired']);
    }
  });

  it('does not work in another browser (login CSRF)', async () => {
    const authorization = await begin(new PageClient(service));
    provider.plan(authorization);
    const requests = provider.tokenRequests.length;
    for (const victim of [new PageClient(service), new PageClient(service)]) {
      const page = await victim.open(callbackOf(authorization));
      expect(problemOn(page)).toBe('attempt_expired');
      // The second browser has an attempt of its own.
      await begin(victim);
      expect(problemOn(await victim.open(callbackOf(authorization)))).toBe('attempt_expired');
    }
    expect(provider.tokenRequests).toHaveLength(requests);
  });

  it('works once, even if the browser keeps its cookie', async () => {
    const browser = new PageClient(service);
    const authorization = await begin(browser);
    const cookie = browser.cookies.get('parley_sign_on') ?? '';
    provider.plan(authorization, { claims: { sub: 'once', email: 'once@acme.test' } });
    expect((await browser.open(callbackOf(authorization))).status).toBe(200);
    const requests = provider.tokenRequests.length;
    const replay = new PageClient(service);
    replay.cookies.set('parley_sign_on', cookie);
    expect(problemOn(await replay.open(callbackOf(authorization)))).toBe('attempt_expired');
    expect(provider.tokenRequests).toHaveLength(requests);
  });

  it('ends after 10 minutes', async () => {
    const browser = new PageClient(service);
    const authorization = await begin(browser);
    const { secretBox } = service.service.services.settings;
    const owner = `sign-in attempt at ${workspaceId}`;
    const name = 'parley_sign_on';
    const sealed = Buffer.from(browser.cookies.get(name) ?? '', 'base64url');
    const attempt = JSON.parse(secretBox.open(sealed, owner));
    expect(attempt.until - Date.now()).toBeLessThanOrEqual(600_000);
    expect(attempt.until - Date.now()).toBeGreaterThan(590_000);
    const expired = secretBox.seal(JSON.stringify({ ...attempt, until: Date.now() - 1 }), owner);
    browser.cookies.set(name, Buffer.from(expired).toString('base64url'));
    expect(problemOn(await browser.open(callbackOf(authorization)))).toBe('attempt_expired');
  });

  it('does not work with a changed cookie', async () => {
    const browser = new PageClient(service);
    const authorization = await begin(browser);
    const value = browser.cookies.get('parley_sign_on') ?? '';
    browser.cookies.set('parley_sign_on', `${value.slice(0, -2)}AA`);
    expect(problemOn(await browser.open(callbackOf(authorization)))).toBe('attempt_expired');
  });
});

describe('two workspaces', () => {
  it('do not accept the response of each other (mix-up)', async () => {
    const victim = new PageClient(service);
    const atEvil = await begin(victim, `workspace=${another.id}`);
    const honest = await begin(new PageClient(service));
    // The evil provider sends the browser to the honest one with its own state. The honest one knows one redirect URI.
    const callback = callbackOf(honest, { state: atEvil.searchParams.get('state') ?? '' });
    const requests = evil.tokenRequests.length + provider.tokenRequests.length;
    expect(problemOn(await victim.open(callback))).toBe('attempt_expired');
    expect(evil.tokenRequests.length + provider.tokenRequests.length).toBe(requests);
  });

  it('rejects a response that names another issuer', async () => {
    const browser = new PageClient(service);
    const authorization = await begin(browser);
    provider.plan(authorization, { claims: { sub: 'iss' } });
    const requests = provider.tokenRequests.length;
    const page = await browser.open(callbackOf(authorization, { iss: evil.issuer }));
    expect(problemOn(page)).toBe('response_invalid');
    expect(provider.tokenRequests).toHaveLength(requests);
  });

  it('cannot sign in as the members of the other one', async () => {
    const email = 'target@acme.test';
    await makeMember(service, 'owner', { email });
    const browser = new PageClient(service);
    const authorization = await begin(browser, `workspace=${another.id}`);
    evil.plan(authorization, { claims: { email } });
    const page = await browser.open(callbackOf(authorization));
    expect(problemOn(page)).toBe('domain_not_allowed');
    expect(browser.session).toBeUndefined();
  });

  it('cannot have the same domain', async () => {
    await expect(giveDomain(service, another.id, 'ACME.test')).rejects.toThrow('already assigned');
  });
});

describe('the log', () => {
  it('has a line for each failure, without codes, tokens, secrets and addresses', () => {
    const lines = service.logLines.filter((line) => line.includes('a single sign-on failed'));
    expect(lines.length).toBeGreaterThan(10);
    const log = service.logLines.join('\n');
    for (const secret of ['a code', 'an access token', 'the secret of the client', '@acme.test', 'eyJ']) {
      expect(log).not.toContain(secret);
    }
  });

  it('has audit entries for sign-ons and refusals', async () => {
    const { prisma } = service.service.services.stores;
    const entries = await prisma.auditEntry.findMany({ where: { workspaceId } });
    const has = (action: string, details: object) =>
      entries.some((entry) => entry.action === action && JSON.stringify(entry.details) === JSON.stringify(details));
    expect(has('session.created', { single_sign_on: true })).toBe(true);
    expect(has('session.refused', { reason: 'response_invalid' })).toBe(true);
    expect(has('member.joined', { role: 'viewer', email: 'new@acme.test' })).toBe(true);
    expect(has('member.sso_linked', { issuer: provider.issuer })).toBe(true);
  });
});
