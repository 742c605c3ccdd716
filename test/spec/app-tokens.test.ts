import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP_CALLBACK, type AppServer, startAppServer } from '../support/app-server.ts';
import { DISCONNECT_APP, TestApp, TestBrowser, type TokenReply } from '../support/connecting.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSession, openSessionOf } from '../support/tenants.ts';

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

const prisma = () => service.service.services.stores.prisma;
const status = async (key: string) => (await service.send('GET', '/v1/resources', { key })).status;
const codeFor = async (options = {}) => (await app.allow(session, options)).searchParams.get('code') ?? '';
const INVALID_GRANT = { status: 400, body: expect.objectContaining({ error: 'invalid_grant' }) };

describe('a code', () => {
  it('works once: a second use ends its tokens', async () => {
    const code = await codeFor();
    const { body } = await app.redeem(code);
    expect(await status(body.access_token)).toBe(200);
    expect(await app.redeem(code)).toEqual(INVALID_GRANT);
    expect(await status(body.access_token)).toBe(401);
    expect(await app.refresh(body.refresh_token)).toEqual(INVALID_GRANT);
  });

  it('works once, of two requests at the same time', async () => {
    const code = await codeFor();
    const replies = await Promise.all([app.redeem(code), app.redeem(code)]);
    expect(replies.filter((reply: TokenReply) => reply.status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of replies) if (body.access_token) expect(await status(body.access_token)).toBe(401);
  });

  it.each([
    ['another secret of PKCE', { code_verifier: 'x'.repeat(43) }],
    ['another redirect URI', { redirect_uri: `${APP_CALLBACK}/` }],
    ['another app', { client_id: 'other' }],
  ])('does not work with %s', async (_what, changes) => {
    const sent = 'client_id' in changes ? { client_id: apps.clientId(changes.client_id) } : changes;
    expect(await app.redeem(await codeFor(), sent)).toEqual(INVALID_GRANT);
  });

  it('does not work for another resource, nor after a minute', async () => {
    const reply = await app.redeem(await codeFor(), { resource: 'https://other.example.com' });
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
    const code = await codeFor();
    await prisma().authorizationRecord.updateMany({
      where: { kind: 'AuthorizationCode' },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    expect(await app.redeem(code)).toEqual(INVALID_GRANT);
  });

  it('is stored as a hash, like every secret of an app', async () => {
    const code = await codeFor();
    const { body } = await app.redeem(code);
    const stored = JSON.stringify(await prisma().authorizationRecord.findMany());
    const tokens = [code, body.access_token, body.refresh_token];
    for (const secret of tokens) expect(stored).not.toContain(secret.slice(4));
    const browser = new TestBrowser(service);
    expect(JSON.stringify(await prisma().authorizationRecord.findMany())).not.toContain(await app.start(browser));
  });
});

describe('a refresh token', () => {
  it('works once, and gives new tokens with the same scopes', async () => {
    const first = await app.connect(session, { scope: 'resources:read conversations:read' });
    const { status: refreshed, body } = await app.refresh(first.refresh_token);
    expect(refreshed).toBe(200);
    expect(body).toMatchObject({ scope: 'resources:read conversations:read', expires_in: 3_600 });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(await status(body.access_token)).toBe(200);
    const narrow = await app.refresh(body.refresh_token, { scope: 'conversations:read' });
    expect(await status(narrow.body.access_token)).toBe(403);
  });

  it('ends all tokens of the app if it is used twice', async () => {
    const first = await app.connect(session);
    const { body } = await app.refresh(first.refresh_token);
    expect(await app.refresh(first.refresh_token)).toEqual(INVALID_GRANT);
    expect(await status(body.access_token)).toBe(401);
    expect(await app.refresh(body.refresh_token)).toEqual(INVALID_GRANT);
  });

  it('works once, of several requests at the same time', async () => {
    const first = await app.connect(session);
    const replies = await Promise.all([1, 2, 3, 4].map(() => app.refresh(first.refresh_token)));
    expect(replies.filter((reply: TokenReply) => reply.status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of replies) if (body.access_token) expect(await status(body.access_token)).toBe(401);
    expect(replies.map(({ status }) => status)).not.toContain(500);
  });

  it('does not work for another app', async () => {
    const { refresh_token: token } = await app.connect(session);
    const thief = apps.clientId('thief');
    expect(await app.refresh(token, { client_id: thief })).toEqual(INVALID_GRANT);
  });

  it('can be revoked by the app, with everything else', async () => {
    const { access_token: key, refresh_token: token } = await app.connect(session);
    const response = await fetch(new URL('/oauth/revoke', service.url), {
      method: 'POST',
      body: new URLSearchParams({ client_id: app.clientId, token }),
    });
    expect(response.status).toBe(200);
    expect(await status(key)).toBe(401);
  });
});

describe('a member who changes their password', () => {
  it('ends the access of their apps', async () => {
    const password = 'a password to be changed';
    const userId = await makeMember(service, 'developer', { email: 'changing@example.com', password });
    const own = await openSessionOf(service, userId);
    const { access_token: key } = await app.connect(own);
    const { status: changed } = await service.graphql(
      `mutation { changePassword(input: { currentPassword: "${password}", newPassword: "another long password" }) { __typename } }`,
      {},
      { key: own },
    );
    expect(changed).toBe(200);
    expect(await status(key)).toBe(401);
    expect(await status(own)).toBe(200);
  });
});

describe('an open stream of an app', () => {
  const FEED = 'subscription { eventAppended { cursor } }';
  const stream = (key: string) =>
    fetch(new URL('/graphql', service.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: FEED }),
    });

  it.each([
    [
      'the member disconnects the app',
      async (own: string) => {
        const { body } = await service.graphql('{ connectedApps { appId } }', {}, { key: own });
        const [{ appId }] = body.data.connectedApps;
        await service.graphql(DISCONNECT_APP, { input: { appId } }, { key: own });
      },
    ],
    [
      'the app ends its own access',
      async (_own: string, token: string) => {
        const body = new URLSearchParams({ client_id: app.clientId, token });
        await fetch(new URL('/oauth/revoke', service.url), { method: 'POST', body });
      },
    ],
    [
      'an owner removes the member',
      async (_own: string, _token: string, userId: string) => {
        const document = `mutation { removeMember(input: { userId: "${userId}" }) { __typename } }`;
        await service.graphql(document, {}, { key: await openSession(service, 'owner') });
      },
    ],
    [
      'an owner changes the role of the member',
      async (_own: string, _token: string, userId: string) => {
        const document = `mutation { updateMember(input: { userId: "${userId}", role: VIEWER }) { __typename } }`;
        await service.graphql(document, {}, { key: await openSession(service, 'owner') });
      },
    ],
  ])('ends when %s', async (_when, end) => {
    const userId = await makeMember(service, 'developer');
    const own = await openSessionOf(service, userId);
    const { access_token: key, refresh_token: token } = await app.connect(own, { scope: 'events:read' });
    const response = await stream(key);
    expect(response.status).toBe(200);
    await end(own, token, userId);
    // After a change of the role, the client connects again with its other scopes.
    const ended = await response.text().catch(() => 'complete');
    expect(ended).toContain('complete');
  });
});
