import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealProvider, signInAt, startProvider } from '../support/oidc-provider.ts';
import { startService, type TestService } from '../support/service.ts';
import { firstWorkspace, PageClient, problemOn, saveProvider } from '../support/sign-on.ts';

let service: TestService;
let provider: RealProvider;
let workspaceId: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  workspaceId = await firstWorkspace(service);
  provider = await startProvider(`http://127.0.0.1/sign-in/oidc/callback/${workspaceId}`, {
    ada: { email: 'ada@acme.test', email_verified: true, name: 'Ada Lovelace', groups: ['admins'] },
    eve: { email: 'ada@acme.test', email_verified: false, name: 'Eve' },
  });
  const roleMap = [{ value: 'admins', role: 'ADMIN' }];
  await saveProvider(service, provider.issuer, { domain: 'acme.test', fields: { roleClaim: 'groups', roleMap } });
});
afterAll(async () => {
  provider?.close();
  await service.close();
});

async function signOn(login: string) {
  const browser = new PageClient(service);
  const { location } = await browser.open(`/sign-in/oidc?workspace=${workspaceId}`);
  if (!location) throw new Error('There is no redirect');
  const callback = await signInAt(provider, location, login);
  const cookie = browser.cookies.get('parley_sign_on') ?? '';
  return { browser, cookie, path: `${callback.pathname}${callback.search}` };
}

describe('a real OpenID Connect provider', () => {
  it('signs a person in with their role, from the login form to the session', async () => {
    const { browser, path } = await signOn('ada');
    expect((await browser.open(path)).status).toBe(200);
    const { body } = await service.send('GET', '/v1/me', { key: browser.session ?? null });
    expect(body.data).toMatchObject({ user: { email: 'ada@acme.test', name: 'Ada Lovelace' }, role: 'admin' });
  });

  it('does not accept a code twice, in the same or in another attempt', async () => {
    const { browser, cookie, path } = await signOn('ada');
    expect((await browser.open(path)).status).toBe(200);
    browser.cookies.set('parley_sign_on', cookie);
    expect(problemOn(await browser.open(path))).toBe('attempt_expired');
    // An attacker who has the code uses it with an attempt of their own.
    const attacker = new PageClient(service);
    const { location } = await attacker.open(`/sign-in/oidc?workspace=${workspaceId}`);
    const query = new URLSearchParams(path.split('?')[1]);
    query.set('state', location?.searchParams.get('state') ?? '');
    const page = await attacker.open(`${path.split('?')[0]}?${query}`);
    expect([problemOn(page), attacker.session]).toEqual(['response_invalid', undefined]);
  });

  it('does not accept a code of another attempt, because PKCE binds it to its browser', async () => {
    const victim = await signOn('ada');
    const attacker = new PageClient(service);
    const { location } = await attacker.open(`/sign-in/oidc?workspace=${workspaceId}`);
    const [pathname, search] = victim.path.split('?');
    const query = new URLSearchParams(search);
    query.set('state', location?.searchParams.get('state') ?? '');
    const page = await attacker.open(`${pathname}?${query}`);
    expect([problemOn(page), attacker.session]).toEqual(['response_invalid', undefined]);
  });

  it('does not sign in a person whose address it has not verified', async () => {
    const { browser, path } = await signOn('eve');
    expect(problemOn(await browser.open(path))).toBe('email_not_verified');
    expect(browser.session).toBeUndefined();
  });
});
