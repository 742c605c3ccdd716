import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_APP_SCOPES } from '../../src/contract/scopes.ts';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import {
  ALLOW_APP,
  DENY_APP,
  DISCONNECT_APP,
  decide,
  readRequest,
  TestApp,
  TestBrowser,
} from '../support/connecting.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { mutationOf } from '../support/results.ts';
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
const NOT_FOUND = expect.objectContaining({ __typename: 'NotFound' });

describe('an app that a member connects', () => {
  it('calls MCP, REST and GraphQL with its token', async () => {
    const tokens = await app.connect(session);
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^oat_[0-9A-Za-z]{43}$/),
      refresh_token: expect.stringMatching(/^ort_[0-9A-Za-z]{43}$/),
      expires_in: 3_600,
      scope: DEFAULT_APP_SCOPES.join(' '),
      token_type: 'Bearer',
    });
    const key = tokens.access_token;
    const mcp = await connectMcp(service.url, { key });
    expect((await mcp.listTools()).tools.map(({ name }) => name)).toContain('list_resources');
    await mcp.close();
    expect(await status(key)).toBe(200);
    const { body } = await service.graphql('{ workflows { nodes { name } } }', {}, { key });
    expect(body.data.workflows.nodes.length).toBeGreaterThan(0);
  });

  it('gets the issuer and its state with the code, so that a mix-up is noticed', async () => {
    const returned = await app.allow(session);
    expect(`${returned.origin}${returned.pathname}`).toBe(app.redirectUri);
    expect(Object.fromEntries(returned.searchParams)).toEqual({
      code: expect.stringMatching(/^oac_[0-9A-Za-z]{43}$/),
      iss: 'http://127.0.0.1',
      state: 'a state',
    });
  });

  it('cannot do what only a signed-in member can', async () => {
    const { access_token: key } = await app.connect(session);
    const { body } = await service.graphql('{ connectedApps { appId } }', {}, { key });
    expect(body.errors[0].extensions).toMatchObject({ code: 'SESSION_REQUIRED', status: 403 });
    expect((await service.send('DELETE', '/v1/sessions/current', { key })).status).toBe(403);
  });

  it('acts in the environment that the member chose', async () => {
    const { access_token: key } = await app.connect(session, { environment: 'TEST' });
    const made = await service.send('POST', '/v1/resources', { key, body: { type: 'order', fields: { a: 1 } } });
    expect(made.status).toBe(201);
    const path = `/v1/resources/${made.body.data?.id ?? made.body.id}`;
    expect((await service.send('GET', path, { key: service.keys.test })).status).toBe(200);
    expect((await service.send('GET', path, { key: service.keys.live })).status).toBe(404);
    const headers = { 'x-environment': 'live' };
    expect((await service.send('GET', path, { key, headers })).status).toBe(200);
  });

  it('publishes documents in the name of its member, which work after it was disconnected', async () => {
    const userId = await makeMember(service, 'developer');
    const { access_token: key } = await app.connect(await openSessionOf(service, userId), {
      scope: 'documents:write resources:read',
    });
    const input = { name: 'by_app', text: 'query @rest(get: "/v1/x/by_app") { resources { totalCount } }' };
    const published = await service.graphql(mutationOf('publishDocument', '{ document { name } }'), { input }, { key });
    expect(published.body.data.publishDocument.document).toEqual({ name: 'by_app' });
    await prisma().connectedApp.deleteMany({ where: { userId } });
    expect((await service.send('GET', '/v1/x/by_app')).status).toBe(200);
  });

  it('is audited with its member', async () => {
    const { access_token: key } = await app.connect(session);
    expect(await status(key)).toBe(200);
    const connected = await prisma().auditEntry.findFirstOrThrow({
      where: { action: 'app.connected' },
      orderBy: { id: 'desc' },
    });
    expect(connected).toMatchObject({
      actorKind: 'session',
      environment: 'live',
      details: { client_id: app.clientId, client_name: 'assistant', scopes: DEFAULT_APP_SCOPES },
    });
    const of = { actorKind: 'app', actorId: connected.subjectId };
    await expect.poll(() => prisma().auditEntry.count({ where: { ...of, action: 'app.used' } })).toBe(1);
    const { lastUsedAt } = await prisma().connectedApp.findUniqueOrThrow({ where: { id: connected.subjectId ?? '' } });
    expect(lastUsedAt).not.toBeNull();
  });
});

describe('the scopes of an app', () => {
  it('are those that it asked for and the member allowed', async () => {
    const scope = 'resources:read triggers:write keys:manage openid mcp:tools';
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser, { scope });
    const { body } = await readRequest(service, browser, session, requestId);
    expect(body.data.connectionRequest).toEqual({
      request: requestId,
      clientId: app.clientId,
      clientName: 'assistant',
      clientHost: new URL(app.clientId).host,
      redirectHost: 'app.example.com',
      isLoopback: false,
      expiresAt: expect.any(String),
      scopes: [
        { scope: 'RESOURCES_READ', canAllow: true },
        { scope: 'TRIGGERS_WRITE', canAllow: true },
        { scope: 'KEYS_MANAGE', canAllow: false },
      ],
    });
    const allow = (scopes: string[]) =>
      decide(service, browser, session, ALLOW_APP, { request: requestId, environment: 'LIVE', scopes });
    for (const scopes of [['KEYS_MANAGE'], ['WORKFLOWS_WRITE'], []]) {
      expect((await allow(scopes)).body.data.allowApp).toMatchObject({ __typename: 'InvalidInput', path: ['scopes'] });
    }
    expect((await allow(['RESOURCES_READ'])).body.data.allowApp).toMatchObject({ __typename: 'AllowAppPayload' });
    const tokens = await app.connect(session, { scope, scopes: ['RESOURCES_READ'] });
    expect(tokens.scope).toBe('resources:read');
    const { body: refused } = await service.send('POST', '/v1/resources', {
      key: tokens.access_token,
      body: { type: 'order', fields: {} },
    });
    expect(refused.error).toMatchObject({ code: 'forbidden', required_scope: 'resources:write' });
  });

  it('end at once with those of the role', async () => {
    const userId = await makeMember(service, 'developer');
    const { access_token: key } = await app.connect(await openSessionOf(service, userId));
    const create = () => service.send('POST', '/v1/resources', { key, body: { type: 'order', fields: {} } });
    expect((await create()).status).toBe(201);
    await prisma().membership.updateMany({ where: { userId }, data: { role: 'viewer' } });
    expect((await create()).status).toBe(403);
    expect(await status(key)).toBe(200);
    await prisma().membership.deleteMany({ where: { userId } });
    expect(await status(key)).toBe(401);
    expect(await prisma().connectedApp.count({ where: { userId } })).toBe(0);
  });
});

describe('the decision about an app', () => {
  const allow = (browser: TestBrowser, requestId: string, key = session) =>
    decide(service, browser, key, ALLOW_APP, { request: requestId, environment: 'LIVE', scopes: ['RESOURCES_READ'] });

  it('is refused in another browser, where somebody else started the request', async () => {
    const attacker = new TestBrowser(service);
    const requestId = await app.start(attacker);
    const victim = new TestBrowser(service);
    expect((await readRequest(service, victim, session, requestId)).body.data.connectionRequest).toBeNull();
    expect((await allow(victim, requestId)).body.data.allowApp).toEqual(NOT_FOUND);
    await app.start(victim);
    expect((await allow(victim, requestId)).body.data.allowApp).toEqual(NOT_FOUND);
    const { body } = await decide(service, victim, session, DENY_APP, { request: requestId });
    expect(body.data.denyApp).toEqual(NOT_FOUND);
    expect(await prisma().connectedApp.count({ where: { scopes: { equals: ['resources:read'] } } })).toBeLessThan(3);
    expect((await allow(attacker, requestId)).body.data.allowApp).toMatchObject({ __typename: 'AllowAppPayload' });
    const stolen = await new TestBrowser(service).open(`/oauth/authorize/${requestId}`);
    expect([stolen.status, await stolen.text()]).toEqual([400, expect.stringContaining('cannot be connected')]);
  });

  it('is made once', async () => {
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser);
    const results = await Promise.all([1, 2, 3].map(() => allow(browser, requestId)));
    const names = results.map(({ body }) => body.data.allowApp.__typename).sort();
    expect(names).toEqual(['AllowAppPayload', 'NotFound', 'NotFound']);
  });

  it('reaches the app if it is a refusal', async () => {
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser);
    const { body } = await decide(service, browser, session, DENY_APP, { request: requestId });
    const location = (await browser.open(body.data.denyApp.redirectUrl)).headers.get('location') ?? '';
    expect(Object.fromEntries(new URL(location).searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The person did not allow the app.',
      iss: 'http://127.0.0.1',
      state: 'a state',
    });
  });

  it('is asked for each time, also after the same app was allowed', async () => {
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser);
    const { body } = await allow(browser, requestId);
    await browser.open(body.data.allowApp.redirectUrl);
    expect(await app.start(browser)).not.toBe(requestId);
    const silent = await browser.open(app.authorizeUrl({ prompt: 'none' }));
    expect(silent.headers.get('location')).toContain('/dashboard/connect/');
  });

  it('leads to no code without it', async () => {
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser);
    const response = await browser.open(`/oauth/authorize/${requestId}`);
    expect(response.headers.get('location')).toMatch(/\/dashboard\/connect\/[\w-]+$/);
  });

  it('is too late after the request has expired', async () => {
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser);
    await prisma().authorizationRecord.updateMany({
      where: { kind: 'Interaction' },
      data: { expiresAt: new Date(0) },
    });
    expect((await readRequest(service, browser, session, requestId)).body.data.connectionRequest).toBeNull();
    expect((await allow(browser, requestId)).body.data.allowApp).toEqual(NOT_FOUND);
    await app.start(browser);
    const where = { kind: 'Interaction', expiresAt: { lte: new Date() } };
    expect(await prisma().authorizationRecord.count({ where })).toBe(0);
  });

  it('needs a session that is open', async () => {
    const userId = await makeMember(service, 'developer');
    const key = await openSessionOf(service, userId);
    const browser = new TestBrowser(service);
    const requestId = await app.start(browser);
    await prisma().session.updateMany({ where: { userId }, data: { revokedAt: new Date() } });
    expect((await allow(browser, requestId, key)).status).toBe(401);
  });
});

describe('the list of connected apps', () => {
  it('shows a member their own apps, and disconnects them on every process at once', async () => {
    const own = await openSessionOf(service, await makeMember(service, 'developer'));
    const { access_token: key, refresh_token: refreshToken } = await app.connect(own);
    const list = (of: string) =>
      service.graphql('{ connectedApps { id appId clientName clientHost environment scopes } }', {}, { key: of });
    const [connected] = (await list(own)).body.data.connectedApps;
    expect(connected).toMatchObject({ clientName: 'assistant', environment: 'LIVE' });
    const disconnect = (of: string) =>
      service.graphql(DISCONNECT_APP, { input: { appId: connected.appId } }, { key: of });
    expect((await disconnect(session)).body.data.disconnectApp).toEqual(NOT_FOUND);
    expect(await status(key)).toBe(200);
    expect((await disconnect(own)).body.data.disconnectApp).toMatchObject({ deletedId: connected.id });
    expect(await status(key)).toBe(401);
    expect((await app.refresh(refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await list(own)).body.data.connectedApps).toEqual([]);
    const where = { action: 'app.disconnected', subjectId: connected.appId };
    expect(await prisma().auditEntry.count({ where })).toBe(1);
  });
});
