import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import { TestBrowser } from '../support/connecting.ts';
import { publish } from '../support/documents.ts';
import { EndUserSite, shownOn } from '../support/end-user-connecting.ts';
import { endUserToken } from '../support/end-users.ts';
import { FAKE_CLIENT } from '../support/fake-oidc.ts';
import { callTool } from '../support/mcp-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';

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
const PATH = `/mcp/deployments/${DEMO_AGENT_ID}`;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = (path: string, key: string | null) => service.send('POST', path, { key, body: LIST });
const conversations = (key: string) => service.send('GET', '/v1/conversations', { key });

async function openMcp(key: string, path = PATH): Promise<Client> {
  const client = new Client({ name: 'parley-tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(path, service.url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

describe('an app that an end user connects', () => {
  it('acts as the end user over MCP, REST and GraphQL', async () => {
    const { access_token: key, scope } = await site.connect('ada');
    expect(scope).toBe('conversations:read conversations:write');
    const client = await openMcp(key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ask_deployment', 'resume_conversation', 'search_conversations', 'read_conversation']),
    );
    for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty('deployment_id');
    const turn = await callTool(client, 'ask_deployment', { content: [{ type: 'text', text: 'Hello' }] });
    expect(turn).toMatchObject({ conversation_id: expect.any(String) });
    await client.close();
    const { body } = await conversations(key);
    expect(body.data).toMatchObject([{ id: turn.conversation_id, end_user: 'ada' }]);
    const graphql = await service.graphql('{ conversations { nodes { endUser } } }', {}, { key });
    expect(graphql.body.data.conversations.nodes).toEqual([{ endUser: 'ada' }]);
  });

  it('reaches nothing of another end user and no other deployment', async () => {
    const { access_token: key } = await site.connect('bob');
    expect((await conversations(key)).body.data).toEqual([]);
    const said = { content: [{ type: 'text', text: 'Hello' }] };
    const response = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body: said });
    expect(response.status).toBe(404);
    const client = await openMcp(key);
    expect(
      await callTool(client, 'ask_deployment', { deployment_id: DEMO_CHAT_ID, content: [{ type: 'text', text: 'x' }] }),
    ).toMatchObject({
      error: { code: 'not_found' },
    });
    await client.close();
    expect((await service.send('GET', '/v1/resources', { key })).status).toBe(403);
  });

  it('is audited without the ID of the end user, and counted for administrators', async () => {
    await site.connect('ada');
    const app = await prisma().connectedApp.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    expect(app).toMatchObject({ endUser: 'ada', userId: null, deploymentId: DEMO_AGENT_ID, clientName: 'assistant' });
    const where = { action: 'app.connected', subjectId: app.id };
    const entry = await prisma().auditEntry.findFirstOrThrow({ where });
    expect(entry).toMatchObject({ actorKind: 'end_user', actorId: expect.stringMatching(/^end_user_/) });
    const { body } = await service.graphql(
      '{ endUserIssuer { redirectUri signIn { clientId mcpUrls connectedApps } } }',
      {},
      { key: await openSession(service, 'owner') },
    );
    expect(body.data.endUserIssuer).toEqual({
      redirectUri: `http://127.0.0.1/connect/callback/${site.environmentId}`,
      signIn: { clientId: FAKE_CLIENT.clientId, mcpUrls: [site.resource], connectedApps: expect.any(Number) },
    });
    expect(body.data.endUserIssuer.signIn.connectedApps).toBeGreaterThan(0);
  });

  it('has only the scopes that the issuer gives the user', async () => {
    await site.offer({ scopeClaim: 'name' });
    const { access_token: key } = await site.connect('reader');
    expect((await conversations(key)).status).toBe(200);
    const said = { content: [{ type: 'text', text: 'Hello' }] };
    const sent = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { key, body: said });
    expect([sent.status, sent.body.error.required_scope]).toEqual([403, 'conversations:write']);
    const browser = new TestBrowser(service);
    const ways: [string, string][] = [
      ['ada', 'conversations:read conversations:write'],
      ['reader', 'conversations:write'],
    ];
    for (const [login, scope] of ways) {
      const requestId = await site.app.start(browser, { resource: site.resource, scope });
      const refused = await browser.open(await site.wayBack(browser, requestId, login));
      expect(await shownOn(refused)).toMatchObject({ status: 403, problem: 'sign_in_denied' });
    }
    await site.offer();
  });

  it('gets new tokens for a refresh token, once', async () => {
    const { refresh_token: token } = await site.connect('ada');
    const next = await site.app.refresh(token);
    expect(next.status).toBe(200);
    expect((await conversations(next.body.access_token)).status).toBe(200);
    expect((await site.app.refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await conversations(next.body.access_token)).status).toBe(401);
  });

  it('asks for a missing scope with 403', async () => {
    const { access_token: key } = await site.connect('ada', { scope: 'conversations:read' });
    const client = await openMcp(key);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_deployment');
    await client.close();
    const body = {
      ...LIST,
      method: 'tools/call',
      params: { name: 'ask_deployment', arguments: { content: [{ type: 'text', text: 'x' }] } },
    };
    const response = await service.send('POST', PATH, { key, body });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="conversations:read conversations:write", ' +
        `resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource${PATH}"`,
    ]);
  });

  it('cannot find out the names of published documents', async () => {
    await publish(service, 'named_by_a_member', '{ conversations { totalCount } }');
    const { access_token: key } = await site.connect('ada', { scope: 'conversations:write' });
    const call = async (name: string) => {
      const params = { name, arguments: {} };
      const { status, body } = await service.send('POST', PATH, {
        key,
        body: { ...LIST, method: 'tools/call', params },
      });
      return { status, text: JSON.stringify(body).replaceAll(name, 'NAME') };
    };
    expect(await call('named_by_a_member')).toEqual(await call('named_by_nobody'));
  });

  it('loses the access that was not used for longest when the user connects more than 20', async () => {
    const first = await site.connect('bob');
    const [app] = await prisma().connectedApp.findMany({ where: { endUser: 'bob' }, orderBy: { createdAt: 'desc' } });
    const { id: _id, ...fields } = app ?? ({} as NonNullable<typeof app>);
    const at = new Date(Date.now() + 60_000);
    const data = Array.from({ length: 19 }, () => ({ ...fields, id: crypto.randomUUID(), createdAt: at }));
    await prisma().connectedApp.createMany({ data });
    const last = await site.connect('bob');
    expect((await conversations(first.access_token)).status).toBe(401);
    expect((await conversations(last.access_token)).status).toBe(200);
    expect(await prisma().connectedApp.count({ where: { endUser: 'bob' } })).toBe(20);
    await prisma().connectedApp.deleteMany({ where: { endUser: 'bob' } });
  });
});

describe('the address of a deployment', () => {
  it('is described for apps, and asks for a token', async () => {
    const { status, body } = await service.send('GET', `/.well-known/oauth-protected-resource${PATH}`, { key: null });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        resource: site.resource,
        resource_name: 'Parley',
        authorization_servers: ['http://127.0.0.1'],
        scopes_supported: ['conversations:read', 'conversations:write'],
        bearer_methods_supported: ['header'],
      },
    });
    const response = await post(PATH, null);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource${PATH}", ` +
        'scope="conversations:read conversations:write"',
    ]);
  });

  it.each([
    ['another deployment of the workspace', `/mcp/deployments/${DEMO_CHAT_ID}`],
    ['an unknown deployment', '/mcp/deployments/00000000-0000-4000-8000-0000000000ff'],
    ['the other environment', `/mcp/test/deployments/${DEMO_AGENT_ID}`],
    ['an ID in another spelling', '/mcp/deployments/any'],
  ])('is 404 for %s, with and without a token', async (_case, path) => {
    const key = await makeKey(service);
    const replies = await Promise.all([null, key, 'oat_invalid'].map((credential) => post(path, credential)));
    for (const { status, body } of replies) expect([status, body.error.code]).toEqual([404, 'not_found']);
    const metadata = await service.send('GET', `/.well-known/oauth-protected-resource${path}`, { key: null });
    expect(metadata.status).toBe(404);
    const started = await new TestBrowser(service).open(site.app.authorizeUrl({ resource: `http://127.0.0.1${path}` }));
    expect(started.status).toBe(400);
  });

  it('accepts tokens of its end users only, and `/mcp` rejects their apps', async () => {
    const { access_token: key } = await site.connect('ada');
    expect((await post('/mcp', key)).status).toBe(401);
    const member = await site.app.connect(await openSession(service, 'developer'));
    expect((await post(PATH, member.access_token)).status).toBe(401);
    expect((await post(PATH, await makeKey(service))).status).toBe(401);
    const client = await openMcp(await endUserToken(service, DEMO_AGENT_ID, 'ada'));
    expect((await client.listTools()).tools).not.toEqual([]);
    await client.close();
    const another = await endUserToken(service, DEMO_CHAT_ID, 'ada');
    expect((await post(PATH, another)).status).toBe(401);
  });

  it('is refused together with another resource', async () => {
    const url = `${site.app.authorizeUrl({ resource: site.resource })}&resource=${encodeURIComponent('http://127.0.0.1/mcp')}`;
    expect((await new TestBrowser(service).open(url)).status).toBe(400);
  });
});
