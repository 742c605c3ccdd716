import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import { TestApp } from '../support/connecting.ts';
import { endUserToken } from '../support/end-users.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';

let service: TestService;
let apps: AppServer;
let app: TestApp;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  apps = await startAppServer();
  app = new TestApp(service, apps.clientId('assistant'));
});
afterAll(async () => {
  await apps.close();
  await service.close();
});

const tokenOf = async (role: 'developer' | 'viewer', scopes: readonly string[]) =>
  (await app.connect(await openSession(service, role), { scopes })).access_token as string;

const send = (key: string, method: string, params: object) =>
  service.send('POST', '/mcp', {
    key,
    headers: { accept: 'application/json' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
const call = (key: string, name: string, args: object = {}) => send(key, 'tools/call', { name, arguments: args });

const FORBIDDEN = { error: { code: 'forbidden' } };
const challengeOf = (response: { headers: Headers }) => response.headers.get('www-authenticate');

describe('a tool whose scope an app lacks', () => {
  it('is 403 with the scopes that the app has and needs, and where to ask for them', async () => {
    const key = await tokenOf('developer', ['WORKFLOWS_READ', 'CONVERSATIONS_READ']);
    const response = await call(key, 'create_resource', { type: 'order', fields: {} });
    expect(response.status).toBe(403);
    expect(challengeOf(response)).toBe(
      'Bearer error="insufficient_scope", scope="conversations:read workflows:read resources:write", ' +
        'resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"',
    );
    expect(response.body.error).toMatchObject({ code: 'forbidden', required_scope: 'resources:write' });
  });

  it('is listed, so that an assistant can ask for more', async () => {
    const client = await connectMcp(service.url, { key: await tokenOf('developer', ['WORKFLOWS_READ']) });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['list_deployments', 'create_resource', 'search_schema']));
    await client.close();
  });

  it('is neither listed nor offered if the role of the member does not have the scope', async () => {
    const key = await tokenOf('viewer', ['WORKFLOWS_READ']);
    const client = await connectMcp(service.url, { key });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('create_resource');
    expect(await callTool(client, 'create_resource', { type: 'order', fields: {} })).toMatchObject(FORBIDDEN);
    await client.close();
  });

  it('works when the member has allowed the scope', async () => {
    const client = await connectMcp(service.url, { key: await tokenOf('developer', ['RESOURCES_READ']) });
    expect(await callTool(client, 'list_resources', {})).toHaveProperty('data');
    await client.close();
  });

  it.each(['search_schema', 'ask_deployment'])('includes %s', async (name) => {
    const key = await tokenOf('developer', ['WORKFLOWS_READ']);
    const scope = name === 'search_schema' ? 'documents:read' : 'conversations:write';
    expect(challengeOf(await call(key, name))).toContain(`scope="workflows:read ${scope}"`);
  });

  it('includes the requests about tasks', async () => {
    const key = await tokenOf('developer', ['WORKFLOWS_READ']);
    const response = await send(key, 'tasks/get', { taskId: 'any' });
    expect([response.status, challengeOf(response)]).toEqual([403, expect.stringContaining('conversations:read"')]);
  });

  it('stays an error of the tool for a key, which cannot ask for more', async () => {
    const key = await makeKey(service, { scopes: ['workflows:read'] });
    const client = await connectMcp(service.url, { key });
    expect(await callTool(client, 'create_resource', { type: 'order', fields: {} })).toMatchObject(FORBIDDEN);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_deployments']);
    await client.close();
  });

  it('stays an error of the tool for a token of an end user, which a server made with these scopes', async () => {
    const key = await endUserToken(service, DEMO_CHAT_ID, 'ada', { scopes: ['CONVERSATIONS_READ'] });
    const asked = { deployment_id: DEMO_CHAT_ID, content: [{ type: 'text', text: 'Hello' }] };
    expect((await call(key, 'ask_deployment', asked)).status).toBe(200);
    const client = await connectMcp(service.url, { key });
    expect(await callTool(client, 'ask_deployment', asked)).toMatchObject(FORBIDDEN);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('ask_deployment');
    await client.close();
  });
});
