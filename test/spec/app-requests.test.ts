import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { DEFAULT_APP_SCOPES } from '../../src/contract/scopes.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { APP_CALLBACK, type AppServer, startAppServer } from '../support/app-server.ts';
import { authorizationError, TestApp, TestBrowser } from '../support/connecting.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let apps: AppServer;
let app: TestApp;
let session: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  apps = await startAppServer();
  app = new TestApp(service, apps.clientId('assistant'));
  session = await openSession(service, 'developer');
});
afterAll(async () => {
  await apps.close();
  await service.close();
});

const status = async (key: string) => (await service.send('GET', '/v1/resources', { key })).status;
const codeFor = async (options = {}) => (await app.allow(session, options)).searchParams.get('code') ?? '';

const errorOf = (changes: Readonly<Record<string, string | undefined>>, from = app) =>
  authorizationError(service, from, changes);

describe('a request of an app', () => {
  it('needs PKCE with S256', async () => {
    for (const changes of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: undefined },
      { code_challenge: 'short' },
      { code_challenge_method: undefined },
      { code_challenge: app.verifier, code_challenge_method: 'plain' },
    ]) {
      expect(await errorOf(changes)).toMatchObject({ shown: 400, text: expect.stringContaining('code_challenge') });
    }
  });

  it.each([
    `${APP_CALLBACK}/`,
    `${APP_CALLBACK}?next=1`,
    APP_CALLBACK.replace('callback', 'other'),
    APP_CALLBACK.replace('app.', 'evil.'),
    APP_CALLBACK.replace('https:', 'http:'),
    APP_CALLBACK.replace('app.', 'user@app.'),
    APP_CALLBACK.replace('.com/', '.com:8443/'),
    APP_CALLBACK.replace('example', 'EXAMPLE'),
    `${APP_CALLBACK}#x`,
    'javascript:alert(1)',
  ])('never leads to the redirect URI %s, which the app did not name', async (redirect_uri) => {
    expect(await errorOf({ redirect_uri })).toMatchObject({ shown: 400 });
  });

  it('may name another port of a loopback address, and nothing else', async () => {
    const redirect_uris = ['http://127.0.0.1:1234/callback', 'http://localhost/callback'];
    const native = new TestApp(service, apps.clientId('native', { redirect_uris }));
    const start = (redirect_uri: string) => native.start(new TestBrowser(service), { redirect_uri });
    for (const uri of ['http://127.0.0.1:50123/callback', 'http://localhost:50123/callback', ...redirect_uris]) {
      expect(await start(uri)).toMatch(/^[\w-]{43}$/);
    }
    for (const uri of [
      'http://127.0.0.1:50123/other',
      'http://127.0.0.2:1234/callback',
      'http://[::1]:1234/callback',
    ]) {
      expect(await errorOf({ redirect_uri: uri }, native)).toMatchObject({ shown: 400 });
    }
  });

  it.each([
    ['another resource', { resource: 'https://other.example.com' }, 'resource'],
    ['another response type', { response_type: 'token' }, 'response_type'],
    ['an ID token', { response_type: 'code id_token' }, 'response_type'],
    ['no response type', { response_type: undefined }, 'response_type'],
  ])(
    'with %s is refused on a page of the service, because anybody can send such a link',
    async (_what, changes, param) => {
      expect(await errorOf(changes)).toMatchObject({ shown: 400, text: expect.stringContaining(param) });
    },
  );

  it('is refused if the app gets its codes over the network without TLS', async () => {
    const redirect_uris = ['http://app.example.com/callback'];
    const plain = new TestApp(service, apps.clientId('plain', { redirect_uris, application_type: 'web' }));
    expect(await errorOf({ redirect_uri: redirect_uris[0] }, plain)).toMatchObject({ shown: 400 });
  });

  it('names the MCP server or the service, or nothing', async () => {
    for (const resource of ['http://127.0.0.1/mcp', 'http://127.0.0.1', 'http://127.0.0.1/', undefined]) {
      const { access_token: key } = await app.connect(session, resource === undefined ? {} : { resource });
      expect(await status(key)).toBe(200);
    }
  });

  it('has a limited length', async () => {
    const { shown } = await errorOf({ state: 'x'.repeat(LIMITS.appQueryLength) });
    expect(shown).toBe(400);
    expect(await errorOf({ state: 'a\0b' })).toMatchObject({ shown: 400 });
  });

  it('ignores the host that it is sent to', async () => {
    const headers = { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'https' };
    const browser = new TestBrowser(service);
    const response = await browser.open(app.authorizeUrl(), headers);
    expect(response.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1\/dashboard\/connect\//);
  });
});

it('binds a request to its browser with a cookie that no other host can set', async () => {
  const secure = await startService({ publicUrl: 'https://parley.example.com' });
  const url = new URL(new TestApp(secure, apps.clientId('secure')).authorizeUrl(), secure.url);
  const response = await fetch(url, { redirect: 'manual', headers: { 'x-forwarded-proto': 'http' } });
  const location = response.headers.get('location') ?? '';
  const [, id] = /^https:\/\/parley\.example\.com\/dashboard\/connect\/([\w-]+)$/.exec(location) ?? [];
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith('__Host-parley_connection='));
  expect(cookie).toContain(`=${id}; path=/; `);
  for (const attribute of ['samesite=lax', 'secure', 'httponly']) expect(cookie).toContain(attribute);
  expect(cookie).not.toContain('domain');
  await secure.close();
});

describe('the paths of the authorization server', () => {
  it('are described for apps', async () => {
    const read = async (path: string) => (await service.send('GET', path, { key: null })).body;
    const server = await read('/.well-known/oauth-authorization-server');
    expect(server).toMatchObject({
      issuer: 'http://127.0.0.1',
      authorization_endpoint: 'http://127.0.0.1/oauth/authorize',
      token_endpoint: 'http://127.0.0.1/oauth/token',
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
    });
    for (const path of ['', '/mcp']) {
      expect(await read(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
        resource: `http://127.0.0.1${path}`,
        authorization_servers: ['http://127.0.0.1'],
        bearer_methods_supported: ['header'],
      });
    }
  });

  it('are no others', async () => {
    for (const path of ['userinfo', 'jwks', 'introspect', 'register', 'device', 'request', 'session/end', 'me']) {
      for (const method of ['GET', 'POST']) {
        expect((await fetch(new URL(`/oauth/${path}`, service.url), { method })).status, path).toBe(404);
      }
    }
    for (const path of ['/me', '/jwks', '/session/end', '/.well-known/openid-configuration']) {
      expect((await fetch(new URL(path, service.url))).status, path).toBe(404);
    }
  });

  it('work from pages of any origin, without cookies', async () => {
    const code = await codeFor();
    const fields = { grant_type: 'authorization_code', code, redirect_uri: APP_CALLBACK, code_verifier: app.verifier };
    const response = await fetch(new URL('/oauth/token', service.url), {
      method: 'POST',
      headers: { origin: 'https://inspector.example.com' },
      body: new URLSearchParams({ client_id: app.clientId, ...fields }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('refuse large bodies', async () => {
    const sizes = [LIMITS.appBodyBytes + 1, LIMITS.appBodyBytes * 20];
    for (const size of sizes) {
      const init = { method: 'POST', body: new URLSearchParams({ code: 'x'.repeat(size) }) };
      expect((await fetch(new URL('/oauth/token', service.url), init)).status).toBe(413);
    }
    const chunks = new Blob(['x'.repeat(LIMITS.appBodyBytes * 2)]).stream();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit;
    expect((await fetch(new URL('/oauth/token', service.url), init)).status).toBe(400);
  });

  it('count by IP address before anything is looked up', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const { points } = RATE_LIMITS.appRequests;
    const send = () => fetch(new URL('/oauth/token', service.url), { method: 'POST', headers });
    for (let count = 0; count < points; count += 1) await send();
    service.takeAllStatements();
    const limited = await send();
    expect(limited.status).toBe(429);
    expect(service.takeStatements().filter((text) => /authorization_record|connected_app/.test(text))).toEqual([]);
    const documents = { 'x-forwarded-for': '203.0.113.8' };
    const open = (name: string) =>
      new TestBrowser(service).open(new TestApp(service, apps.clientId(name)).authorizeUrl(), documents);
    for (let count = 0; count < RATE_LIMITS.appDocuments.points; count += 1) {
      expect((await open(`app-${count}`)).status).toBe(303);
    }
    expect((await open('one-too-many')).status).toBe(400);
    expect(apps.requests).not.toContain('/one-too-many.json');
  });
});

describe('a request without a token', () => {
  const challengeOf = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, service.url), init);
    return [response.status, response.headers.get('www-authenticate')];
  };
  const scope = DEFAULT_APP_SCOPES.join(' ');
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const metadata = 'resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource';

  it('learns on each transport where an app gets one', async () => {
    const expected = [401, `Bearer ${metadata}", scope="${scope}"`];
    expect(await challengeOf('/v1/resources')).toEqual(expected);
    const query = JSON.stringify({ query: '{ workflows { nodes { name } } }' });
    expect(await challengeOf('/graphql', { method: 'POST', headers: json, body: query })).toEqual(expected);
    const headers = { ...json, authorization: `Bearer oat_${'x'.repeat(43)}` };
    for (const sent of [json, headers]) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const challenge = await challengeOf('/mcp', { method: 'POST', headers: sent, body });
      expect(challenge).toEqual([401, `Bearer ${metadata}/mcp", scope="${scope}"`]);
    }
  });

  it('learns which scope is missing', async () => {
    const { access_token: key } = await app.connect(session, { scope: 'conversations:read' });
    const headers = { authorization: `Bearer ${key}` };
    expect(await challengeOf('/v1/resources', { headers })).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="resources:read", ${metadata}"`,
    ]);
  });
});
