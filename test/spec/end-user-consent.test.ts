import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import { TestBrowser } from '../support/connecting.ts';
import { EndUserSite, shownOn } from '../support/end-user-connecting.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let apps: AppServer;
let site: EndUserSite;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  apps = await startAppServer();
  site = await EndUserSite.open(service, { deploymentId: DEMO_AGENT_ID, clientId: apps.clientId('assistant') });
});
afterAll(async () => {
  site?.close();
  await apps.close();
  await service.close();
});

const prisma = () => service.service.services.stores.prisma;

describe('the decision of an end user', () => {
  it('shows who asks for what, and as whom', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    const page = await shownOn(await browser.open(`/connect/${requestId}`));
    expect(page).toMatchObject({
      status: 200,
      app: {
        name: 'assistant',
        host: new URL(site.app.clientId).host,
        redirectHost: 'app.example.com',
        isLoopback: false,
        scopes: ['conversations:read', 'conversations:write'],
        user: 'Ada Lovelace',
        issuerHost: new URL(site.provider.issuer).host,
      },
    });
  });

  it('can be to deny', async () => {
    const browser = new TestBrowser(service);
    const answer = await site.decide(browser, await site.signIn(browser, 'ada'), 'deny');
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'access_denied', iss: 'http://127.0.0.1' });
  });

  it('needs a sign-in in the same browser', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    const other = new TestBrowser(service);
    expect(await shownOn(await other.open(`/connect/${requestId}`))).toMatchObject({ status: 404, problem: 'unknown' });
    expect((await site.answer(other, requestId, 'allow')).status).toBe(404);
    const fresh = new TestBrowser(service);
    const notSignedIn = await site.app.start(fresh, { resource: site.resource });
    expect((await site.answer(fresh, notSignedIn, 'allow')).status).toBe(401);
    expect((await site.answer(fresh, notSignedIn, 'deny')).status).toBe(401);
  });

  it('is not taken from a page of another site', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      expect((await site.answer(browser, requestId, 'allow', headers as Record<string, string>)).status).toBe(403);
    }
  });

  it('is taken once', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    const [one, two] = await Promise.all([
      site.answer(browser, requestId, 'allow'),
      site.answer(browser, requestId, 'allow'),
    ]);
    expect([one?.status, two?.status].toSorted()).toEqual([200, 404]);
  });

  it('leads to no code without it', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    const response = await browser.open(`/oauth/authorize/${requestId}`);
    expect(response.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1\/connect\/[\w-]+$/);
  });

  it('cannot be that of a member', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.app.start(browser, { resource: site.resource });
    const key = await openSession(service, 'owner');
    const { body } = await service.graphql(
      'query ($request: String!) { connectionRequest(request: $request) { clientName } }',
      { request: requestId },
      { key, headers: { cookie: browser.cookie } },
    );
    expect(body.data.connectionRequest).toBeNull();
    const mine = await site.app.start(browser);
    expect(await shownOn(await browser.open(`/connect/${mine}`))).toMatchObject({ status: 404, problem: 'unknown' });
  });
});

describe('the sign-in of an end user', () => {
  it('does not count in a browser that did not begin it', async () => {
    const attacker = new TestBrowser(service);
    const requestId = await site.app.start(attacker, { resource: site.resource });
    const back = await site.wayBack(attacker, requestId, 'bob');
    const victim = new TestBrowser(service);
    await site.app.start(victim, { resource: site.resource });
    expect(await shownOn(await victim.open(back))).toMatchObject({ status: 400, problem: 'sign_in_failed' });
    expect(victim.cookie).not.toContain('parley_connection_user');
  });

  it('counts only for the request that it was for, so two users of one browser stay apart', async () => {
    const browser = new TestBrowser(service);
    const first = await site.signIn(browser, 'ada');
    const second = await site.app.start(browser, { resource: site.resource });
    expect(second).not.toBe(first);
    expect((await site.answer(browser, second, 'allow')).status).toBe(401);
    const started = await browser.open(`/connect/${second}`);
    expect(started.headers.get('location')).toContain(site.provider.issuer);
  });

  it('is not repeated with the same response', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.app.start(browser, { resource: site.resource });
    const back = await site.wayBack(browser, requestId, 'ada');
    const cookie = browser.cookie;
    expect((await browser.open(back)).status).toBe(303);
    const { status, problem } = await shownOn(await browser.open(back, { cookie }));
    expect({ status, problem }).toEqual({ status: 400, problem: 'sign_in_failed' });
  });

  it('refuses a response that names another issuer', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.app.start(browser, { resource: site.resource });
    const [path, query] = (await site.wayBack(browser, requestId, 'ada')).split('?');
    const changed = new URLSearchParams(query);
    changed.set('iss', 'https://other.example');
    expect(await shownOn(await browser.open(`${path}?${changed}`))).toMatchObject({ problem: 'sign_in_failed' });
    expect(browser.cookie).not.toContain('parley_connection_user');
  });

  it('refuses a response at the address of another environment', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.app.start(browser, { resource: site.resource });
    const back = await site.wayBack(browser, requestId, 'ada');
    const other = await prisma().environment.findFirstOrThrow({ where: { id: { not: site.environmentId } } });
    const moved = back.replace(site.environmentId, other.id);
    expect(await shownOn(await browser.open(moved))).toMatchObject({ status: 400, problem: 'sign_in_failed' });
  });

  it('says when the issuer refused it', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.app.start(browser, { resource: site.resource });
    const started = await browser.open(`/connect/${requestId}`);
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: site.provider.issuer });
    const page = await shownOn(await browser.open(`/connect/callback/${site.environmentId}?${query}`));
    expect(page).toMatchObject({ status: 403, problem: 'sign_in_denied', retry: `/connect/${requestId}` });
  });

  it('needs no session of a member, and leaves it alone', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    const headers = { cookie: `${browser.cookie}; parley_session=${await openSession(service, 'owner')}` };
    const page = await browser.open(`/connect/${requestId}`, headers);
    expect((await shownOn(page)).app?.user).toBe('Ada Lovelace');
    expect(page.headers.getSetCookie().join()).not.toContain('parley_session');
  });
});
