import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import { ALLOW_APP, decide, TestBrowser } from '../support/connecting.ts';
import { EndUserSite } from '../support/end-user-connecting.ts';
import { callTool } from '../support/mcp-client.ts';
import { connectOfficial } from '../support/official-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let apps: AppServer;
let site: EndUserSite;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback', appRegistration: true });
  apps = await startAppServer();
  site = await EndUserSite.open(service, { deploymentId: DEMO_AGENT_ID, clientId: apps.clientId('assistant') });
});
afterAll(async () => {
  site?.close();
  await apps.close();
  await service.close();
});

const WAYS: readonly [string, () => string | undefined][] = [
  ['a document', () => apps.clientId('official')],
  ['a registration', () => undefined],
];

/** Opens the address of the client in the browser. Returns the ID of the request. */
async function startIn(browser: TestBrowser, authorizeUrl: string): Promise<string> {
  const started = await browser.open(authorizeUrl);
  return started.headers.get('location')?.split('/').at(-1) ?? '';
}

describe.each(WAYS)('the official MCP client with an address and %s', (_way, documentUrl) => {
  it('connects for a member', async () => {
    const { client, clientId } = await connectOfficial(service, {
      address: 'http://127.0.0.1/mcp',
      documentUrl: documentUrl(),
      allow: async (authorizeUrl) => {
        const browser = new TestBrowser(service);
        const request = await startIn(browser, authorizeUrl);
        const input = { request, environment: 'LIVE', scopes: ['WORKFLOWS_READ'] };
        const { body } = await decide(service, browser, await openSession(service, 'viewer'), ALLOW_APP, input);
        const returned = await browser.open(body.data.allowApp.redirectUrl);
        return new URL(returned.headers.get('location') ?? '').searchParams.get('code') ?? '';
      },
    });
    expect(clientId).toMatch(documentUrl() ?? /^client_/);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('list_deployments');
    const called = await client.callTool({ name: 'list_deployments', arguments: {} });
    expect(called.isError).not.toBe(true);
    await client.close();
  });

  it('connects for an end user of a deployment, who then asks it', async () => {
    const { client, clientId } = await connectOfficial(service, {
      address: site.resource,
      documentUrl: documentUrl(),
      allow: async (authorizeUrl) => {
        const browser = new TestBrowser(service);
        const requestId = await startIn(browser, authorizeUrl);
        await site.signInFor(browser, requestId, 'ada');
        return (await site.decide(browser, requestId, 'allow')).get('code') ?? '';
      },
    });
    expect(clientId).toMatch(documentUrl() ?? /^client_/);
    const content = [{ type: 'text', text: 'Hello' }];
    const { conversation_id: id } = await callTool(client, 'ask_deployment', { content });
    const { prisma } = service.service.services.stores;
    const conversation = await prisma.conversation.findUniqueOrThrow({ where: { id } });
    expect(conversation).toMatchObject({ endUser: 'ada', deploymentId: DEMO_AGENT_ID });
    await client.close();
  });
});
