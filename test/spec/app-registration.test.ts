import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { sweepApps } from '../../src/domain/access/apps/registered-apps.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { APP_CALLBACK } from '../support/app-server.ts';
import { authorizationError, readRequest, TestBrowser } from '../support/connecting.ts';
import { registeredApp, sendRegistration } from '../support/registering.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let session: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback', appRegistration: true });
  session = await openSession(service, 'developer');
});
afterAll(() => service.close());

const stores = () => service.service.services.stores;
const registrations = () => stores().prisma.registeredApp.count();
const send = (body: string, headers = {}) => sendRegistration(service, body, headers);
const register = (metadata: unknown, headers = {}) => send(JSON.stringify(metadata), headers);

describe('an app that registers itself', () => {
  it('gets a client ID of a public client, and what it cannot have is replaced', async () => {
    const { status, body, headers } = await register({
      redirect_uris: [APP_CALLBACK],
      client_name: ' My app ',
      grant_types: ['client_credentials'],
      response_types: ['token'],
      token_endpoint_auth_method: 'client_secret_basic',
      client_id: 'https://other.example.com/app.json',
      client_secret: 'mine',
      jwks_uri: 'http://169.254.169.254/',
      logo_uri: 'javascript:alert(1)',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      client_id: expect.stringMatching(/^client_\w{43}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'My app',
      redirect_uris: [APP_CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect(Math.abs(body.client_id_issued_at - Date.now() / 1_000)).toBeLessThan(60);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is named in the metadata, and works from pages of any origin', async () => {
    const { body } = await service.send('GET', '/.well-known/oauth-authorization-server', { key: null });
    expect(body.registration_endpoint).toBe('http://127.0.0.1/oauth/register');
    const preflight = await fetch(new URL('/oauth/register', service.url), {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example.com', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const { headers } = await register({ redirect_uris: [APP_CALLBACK] }, { origin: 'https://a.example.com' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(new URL('/oauth/register', service.url))).status).toBe(405);
  });

  it('connects for a member, and is shown as unverified', async () => {
    const app = await registeredApp(service);
    const browser = new TestBrowser(service);
    const { body } = await readRequest(service, browser, session, await app.start(browser));
    expect(body.data.connectionRequest).toMatchObject({
      clientId: app.clientId,
      clientName: 'Self-made',
      clientHost: null,
      redirectHost: 'app.example.com',
    });
    const { access_token: key, refresh_token } = await app.connect(session);
    expect((await service.send('GET', '/v1/resources', { key })).status).toBe(200);
    expect((await app.refresh(refresh_token)).status).toBe(200);
  });

  it('may use another port of a loopback address, and no other redirect URI', async () => {
    const app = await registeredApp(service, 'http://127.0.0.1:1234/callback');
    const browser = new TestBrowser(service);
    expect(await app.start(browser, { redirect_uri: 'http://127.0.0.1:4321/callback' })).toMatch(/^[\w-]{43}$/);
    expect(await authorizationError(service, app, { redirect_uri: 'http://127.0.0.1:1234/other' })).toMatchObject({
      shown: 400,
    });
  });

  it('has no secret, so a wrong code verifier gets no token', async () => {
    const app = await registeredApp(service);
    const code = (await app.allow(session)).searchParams.get('code') ?? '';
    const { status } = await app.redeem(code, { code_verifier: 'x'.repeat(43) });
    expect(status).toBe(400);
  });

  it.each([
    'https://a.example.com/x?y=1',
    'http://localhost/callback',
    'http://[::1]:80/',
    'com.example.app:/callback',
  ])('can have the redirect URI %s, as an app with a document can', async (uri) => {
    const app = await registeredApp(service, uri);
    expect(await app.start(new TestBrowser(service))).toMatch(/^[\w-]{43}$/);
  });
});

describe('a hostile registration', () => {
  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://a.example.com',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://a.example.com/callback',
    'http://127.0.0.1.example.com/',
    'https://localhost/callback',
    'https://a.example.com/#x',
    'https://a.example.com/\u202egpj.exe',
    'https://a.example.com/a b',
    '//a.example.com',
    '',
    `https://a.example.com/${'x'.repeat(LIMITS.appRedirectUriLength)}`,
  ])('is refused with the redirect URI %j', async (uri) => {
    const before = await registrations();
    expect(await register({ redirect_uris: [APP_CALLBACK, uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: expect.stringContaining('redirect_uris[1]') },
    });
    expect(await registrations()).toBe(before);
  });

  it.each([
    ['no list', 'https://a.example.com'],
    ['an empty list', []],
    ['too many', Array(LIMITS.appRedirectUris + 1).fill(APP_CALLBACK)],
    ['a list of lists', [[APP_CALLBACK]]],
    ['nothing', undefined],
  ])('is refused with %s of redirect URIs', async (_what, redirect_uris) => {
    const { status, body } = await register({ redirect_uris });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('may have as many redirect URIs, and as long ones, as the limit', async () => {
    const uri = 'https://a.example.com/'.padEnd(LIMITS.appRedirectUriLength, 'x');
    expect((await register({ redirect_uris: Array(LIMITS.appRedirectUris).fill(uri) })).status).toBe(201);
  });

  it.each([
    ['no object', '[]'],
    ['null', 'null'],
    ['no JSON', '{'],
    ['no body', ''],
    ['deep JSON', `{"redirect_uris":${'['.repeat(7_000)}${']'.repeat(7_000)}}`],
    ['deep JSON that nobody reads', `{"x":${'{"x":'.repeat(2_000)}1${'}'.repeat(2_000)}}`],
  ])('is refused with %s', async (_what, body) => {
    const reply = await send(body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(/^invalid_(client_metadata|redirect_uri)$/);
    expect(reply.body.error_description).toEqual(expect.any(String));
  });

  it('is refused with a large, compressed or foreign body, which is not read', async () => {
    const large = JSON.stringify({ redirect_uris: [APP_CALLBACK], padding: 'x'.repeat(1024 * 1024) });
    expect((await send(large)).status).toBe(413);
    expect((await send('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const init = { method: 'POST', body: new Blob([large]).stream(), duplex: 'half' } as RequestInit;
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(new URL('/oauth/register', service.url), { ...init, headers })).status).toBe(413);
  });

  it.each([
    ['a huge name', 'x'.repeat(10_000), 'x'.repeat(LIMITS.appNameLength)],
    ['a name that changes the direction of the text', 'Par\u202eyel\u2066\u200f app', 'Par yel   app'],
    ['a name with lines, null characters and half of a pair', 'a\n\u2028b\0c\ud83d', 'a  b c'],
    ['a name of spaces', ' \u200b ', undefined],
    ['a name that is no text', { toString: 1 }, undefined],
  ])('cannot have %s', async (_what, client_name, expected) => {
    const { status, body } = await register({ redirect_uris: [APP_CALLBACK], client_name });
    expect([status, body.client_name]).toEqual([201, expected]);
  });

  it('is counted by IP address before its body is read, so any number of them stores few rows', async () => {
    const before = await registrations();
    const address = { 'x-forwarded-for': '198.18.0.1' };
    const { points } = RATE_LIMITS.appRegistrations;
    const statuses: number[] = [];
    // Another limit counts all requests of apps.
    for (let count = 0; count < RATE_LIMITS.appRequests.points * 2; count += 1) {
      statuses.push((await register({ redirect_uris: [APP_CALLBACK] }, address)).status);
    }
    expect(statuses.slice(0, points)).toEqual(Array(points).fill(201));
    expect(new Set(statuses.slice(points))).toEqual(new Set([429]));
    expect(await registrations()).toBe(before + points);
    service.takeAllStatements();
    expect((await register('x'.repeat(LIMITS.appDocumentBytes * 2), address)).status).toBe(429);
    expect(service.takeStatements().filter((text) => text.includes('registered_app'))).toEqual([]);
  });

  it('finds no room if there are too many, until unused ones are deleted', async () => {
    const app = await registeredApp(service);
    await app.connect(session);
    const { sql } = stores();
    await sql.execute`
      INSERT INTO registered_app (id, redirect_uris, created_at, expires_at)
      SELECT 'filler_' || n, '{}', now(), now() - interval '1 hour' FROM generate_series(1, ${LIMITS.registeredApps}::int) AS n`;
    const { status, body, headers } = await register({ redirect_uris: [APP_CALLBACK] });
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('registered apps')]);
    expect(headers.get('retry-after')).not.toBeNull();
    expect((await app.connect(session)).token_type).toBe('Bearer');
    await sweepApps(service.service.services);
    expect((await register({ redirect_uris: [APP_CALLBACK] })).status).toBe(201);
  });
});
