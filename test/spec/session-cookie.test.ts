import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { withCookies } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { accept, inviteToken } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSession } from '../support/tenants.ts';

const HOST = 'https://parley.example.com';

let service: TestService;
let secure: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  secure = await startService({ publicUrl: HOST });
});
afterAll(() => Promise.all([service.close(), secure.close()]));

let addresses = 0;

const SIGN_IN =
  'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token sessionId } ... on Error { code message path } } }';

const signIn = (target: TestService, fields: object = {}) => {
  addresses += 1;
  const headers = { 'x-forwarded-for': `192.0.2.${addresses}` };
  return target.graphql(SIGN_IN, { input: { ...target.owner, ...fields } }, { key: null, headers });
};

/**
 * A page of the service with a newly signed-in owner. Each page has its own account because attempts are limited per
 * account.
 */
async function page(target: TestService = service): Promise<Client> {
  const account = { email: `${randomUUID()}@example.com`, password: 'long enough it is' };
  await makeMember(target, 'owner', account);
  const { headers } = await signIn(target, { ...account, cookie: true });
  return withCookies(target, headers.getSetCookie()[0]?.split(';')[0] ?? '');
}

const OWN = { 'sec-fetch-site': 'same-origin' };

const post = (client: Client, headers: Record<string, string>) =>
  client.send('POST', '/v1/resources', { body: { type: 'note', fields: {} }, headers });

describe("the session's cookie", () => {
  it('replaces the token on request, and is not readable by scripts or other sites', async () => {
    const { body, headers } = await signIn(service, { cookie: true });
    expect(body.data.signIn).toMatchObject({ token: null, sessionId: expect.any(String) });
    const [cookie, ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^parley_session=sess_[0-9A-Za-z]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const until = Date.parse(/Expires=([^;]+)/.exec(cookie ?? '')?.[1] ?? '');
    expect(Math.abs(until - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    const plain = await signIn(service);
    expect(plain.headers.getSetCookie()).toEqual([]);
    expect(plain.body.data.signIn.token).toMatch(/^sess_/);
  });

  it('is bound to the host and to https if the service uses https', async () => {
    const [cookie] = (await signIn(secure, { cookie: true })).headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-parley_session=sess_\w+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    );
    const mine = await page(secure);
    expect((await mine.send('GET', '/v1/me')).status).toBe(200);
    // Without the prefix, a page of another host in the same domain could have set it.
    const bare = withCookies(secure, (cookie ?? '').split(';')[0]?.replace('__Host-', '') ?? '');
    expect((await bare.send('GET', '/v1/me')).status).toBe(401);
  });

  it('is set with an accepted invitation too', async () => {
    const token = await inviteToken(service, await openSession(service, 'owner'), 'cookie@example.com');
    const { body, headers } = await accept(service, { token, name: 'A', password: 'long enough it is', cookie: true });
    expect(body.data.acceptInvitation.token).toBeNull();
    const mine = withCookies(service, headers.getSetCookie()[0]?.split(';')[0] ?? '');
    expect((await mine.send('GET', '/v1/me')).body.data.user.email).toBe('cookie@example.com');
  });

  it('acts as the session on both APIs, in the selected environment', async () => {
    const mine = await page();
    expect((await mine.send('GET', '/v1/me')).body.data.environment).toBe('live');
    const test = await mine.send('GET', '/v1/me', { headers: { 'x-environment': 'test' } });
    expect(test.body.data.environment).toBe('test');
    expect((await mine.graphql('{ sessions { isCurrent } }')).body.data.sessions).toContainEqual({ isCurrent: true });
    expect((await post(mine, OWN)).status).toBe(201);
    expect((await post(mine, { origin: mine.url })).status).toBe(201);
    expect((await post(await page(secure), { origin: HOST })).status).toBe(201);
  });

  it('has lower precedence than a credential in a header', async () => {
    const mine = await page();
    const viewer = await openSession(service, 'viewer');
    expect((await mine.send('GET', '/v1/me', { key: viewer })).body.data.role).toBe('viewer');
    expectError(await mine.send('GET', '/v1/me', { key: service.keys.live }), 'session_required');
    expectError(await mine.send('GET', '/v1/me', { key: `sess_${'a'.repeat(43)}` }), 'unauthorized');
    const signOut = await mine.graphql(
      'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
      {},
      { key: viewer },
    );
    expect(signOut.headers.getSetCookie()).toEqual([]);
    expect((await mine.send('GET', '/v1/me')).body.data.role).toBe('owner');
  });

  it('is cleared by signing out and is invalid from then on', async () => {
    const mine = await page();
    const response = await mine.graphql(
      'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
    );
    expect(errorOf(response)).toBeUndefined();
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^parley_session=; Path=\/; Expires=Thu, 01 Jan 1970.*HttpOnly; SameSite=Strict$/),
    ]);
    expectError(await mine.send('GET', '/v1/me'), 'unauthorized');
  });

  it.each([
    ['has expired', async () => openSession(service, 'owner', -1)],
    ['never existed', async () => `sess_${'a'.repeat(43)}`],
    ['is not a session', async () => service.keys.live],
    ['is empty', async () => ''],
  ])('is ignored and cleared if it %s', async (_description, tokenOf) => {
    const stale = withCookies(service, `other=1; parley_session=${await tokenOf()}`);
    const rejected = await stale.send('GET', '/v1/me');
    expectError(rejected, 'unauthorized');
    expect(rejected.headers.getSetCookie()).toEqual([expect.stringMatching(/^parley_session=; /)]);
    const meta = '/v1/runner/00000000-0000-4000-8000-000000000001/widget-meta';
    expect((await stale.send('GET', meta)).status).toBe(200);
    expect((await stale.graphql('{ me { role } }')).status).toBe(401);
  });
});

describe("pages of other origins cannot use the session's cookie", () => {
  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.com' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example.com' }],
    ['an old browser on another site', { origin: 'https://evil.com' }],
    ['a sandboxed page', { origin: 'null' }],
  ])('%s', async (_who, headers) => {
    const mine = await page();
    expectError(await post(mine, headers), 'origin_not_allowed');
    expectError(await mine.send('GET', '/v1/me', { headers }), 'origin_not_allowed');
    expectGraphqlError(await mine.graphql('{ me { role } }', {}, { headers }), 'origin_not_allowed');
    expectGraphqlError(
      await mine.graphql(
        'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
        {},
        { headers },
      ),
      'origin_not_allowed',
    );
    expect((await mine.send('GET', '/v1/me')).status).toBe(200);
  });

  it("requires the page's origin for writes through REST, but not for reads and typed addresses", async () => {
    const mine = await page();
    expectError(await post(mine, {}), 'origin_not_allowed');
    expectError(await post(mine, { 'sec-fetch-site': 'none' }), 'origin_not_allowed');
    expect((await mine.send('GET', '/v1/events', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
  });

  it("requires the page's origin or a preflight for GraphQL reads by GET", async () => {
    const mine = await page();
    const read = (headers: Record<string, string>, method = 'GET') =>
      mine.send(method, `/graphql?query=${encodeURIComponent('{ me { role } }')}`, { headers });
    for (const headers of [
      {},
      { 'sec-fetch-site': 'none' },
      { 'content-type': 'text/plain' },
      { 'x-forwarded-for': '::1' },
    ]) {
      expectGraphqlError(await read(headers as Record<string, string>), 'origin_not_allowed');
    }
    for (const headers of [
      { 'sec-fetch-site': 'same-origin' },
      { origin: service.url },
      { 'x-requested-with': 'XMLHttpRequest' },
      { 'apollo-require-preflight': 'true' },
    ]) {
      expect((await read(headers as Record<string, string>)).body).toEqual({ data: { me: { role: 'OWNER' } } });
    }
  });

  it('accepts no GraphQL mutation by GET, and only JSON by POST', async () => {
    const mine = await page();
    const query = encodeURIComponent(
      'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
    );
    expect((await mine.send('GET', `/graphql?query=${query}`)).status).toBe(403);
    const headers = { 'x-requested-with': 'test' };
    expect((await mine.send('GET', `/graphql?query=${query}`, { headers })).status).toBe(405);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const raw = JSON.stringify({
        query:
          'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
      });
      expect((await mine.send('POST', '/graphql', { raw, headers: { 'content-type': type } })).status).toBe(415);
    }
    expect((await mine.send('GET', '/v1/me')).status).toBe(200);
  });
});
