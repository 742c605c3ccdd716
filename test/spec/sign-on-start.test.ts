import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeOidc, startFakeOidc } from '../support/fake-oidc.ts';
import { startService, type TestService } from '../support/service.ts';
import { PageClient, problemOn, saveProvider } from '../support/sign-on.ts';

let service: TestService;
let provider: FakeOidc;
let workspaceId: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  provider = await startFakeOidc();
  workspaceId = await saveProvider(service, provider.issuer, { domain: 'acme.test' });
});
afterAll(async () => {
  provider.close();
  await service.close();
});

describe('the authorization request', () => {
  it('has PKCE with S256, a state and a nonce that only the cookie of the browser knows', async () => {
    const browser = new PageClient(service);
    const { status, location, setCookie } = await browser.open(`/sign-in/oidc?workspace=${workspaceId}`);
    expect(status).toBe(303);
    const query = Object.fromEntries(location?.searchParams ?? []);
    expect(query).toMatchObject({
      client_id: 'parley',
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `http://127.0.0.1/sign-in/oidc/callback/${workspaceId}`,
    });
    expect(query.scope?.split(' ')).toContain('openid');
    expect([query.state, query.nonce, query.code_challenge].map((text) => text?.length)).toEqual([43, 43, 43]);
    expect(setCookie).toHaveLength(1);
    expect(setCookie[0]).toMatch(/^parley_sign_on=[\w-]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    for (const secret of [query.state, query.nonce]) expect(setCookie[0]).not.toContain(secret);
  });

  it('has a cookie that browsers send only over https, if the service uses https', async () => {
    const { services } = service.service;
    const { publicUrl } = services.settings;
    Object.assign(services.settings, { publicUrl: 'https://parley.example.com' });
    const { location, setCookie } = await new PageClient(service).open(`/sign-in/oidc?workspace=${workspaceId}`);
    Object.assign(services.settings, { publicUrl });
    expect(setCookie[0]).toMatch(/^__Host-parley_sign_on=.*; Path=\/; .*; HttpOnly; Secure; SameSite=Lax$/);
    const callback = `https://parley.example.com/sign-in/oidc/callback/${workspaceId}`;
    expect(location?.searchParams.get('redirect_uri')).toBe(callback);
  });

  it('finds the workspace by the domain of an email address', async () => {
    const { location } = await new PageClient(service).open('/sign-in/oidc?domain=ACME.test');
    expect(location?.origin).toBe(provider.issuer);
  });

  it.each(['workspace=00000000-0000-4000-8000-0000000000ff', 'workspace=x', 'domain=other.test', 'domain=%00', ''])(
    'responds with a page for an unknown target: %s',
    async (query) => {
      const page = await new PageClient(service).open(`/sign-in/oidc?${query}`);
      expect([page.status, problemOn(page)]).toEqual([404, 'no_provider']);
    },
  );

  it('is limited to 10 attempts per minute and IP address', async () => {
    const browser = new PageClient(service);
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await browser.open('/sign-in/oidc?domain=x')).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(404));
    expect(statuses[10]).toBe(429);
  });
});
