import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { APP_CALLBACK, type AppServer, startAppServer } from '../support/app-server.ts';
import { ALLOW_APP, decide, TestBrowser } from '../support/connecting.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let apps: AppServer;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  apps = await startAppServer();
});
afterAll(async () => {
  await apps.close();
  await service.close();
});

type Provider = NonNullable<
  NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['authProvider']
>;

it('lets the official MCP client connect for a member, with nothing but the address', async () => {
  const saved: { url?: URL; tokens?: object; client?: object; verifier?: string } = {};
  const clientMetadataUrl = apps.clientId('official');
  const provider = {
    redirectUrl: APP_CALLBACK,
    clientMetadataUrl,
    clientMetadata: { client_name: 'official', redirect_uris: [APP_CALLBACK] },
    clientInformation: () => saved.client,
    saveClientInformation: (client: object) => Object.assign(saved, { client }),
    tokens: () => saved.tokens,
    saveTokens: (tokens: object) => Object.assign(saved, { tokens }),
    redirectToAuthorization: (url: URL) => void Object.assign(saved, { url }),
    saveCodeVerifier: (verifier: string) => Object.assign(saved, { verifier }),
    codeVerifier: () => saved.verifier,
  };
  // The service calls itself http://127.0.0.1, without its port.
  const send = (url: string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(url);
    return fetch(new URL(pathname + search, service.url), init);
  };
  const open = () =>
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      authProvider: provider as unknown as Provider,
      fetch: send,
    });
  const newClient = () => new Client({ name: 'official', version: '1.0.0' });
  const transport = open();
  const connecting = newClient().connect(transport as Parameters<Client['connect']>[0]);
  await expect(connecting).rejects.toThrow(UnauthorizedError);
  expect(saved.client).toMatchObject({ client_id: clientMetadataUrl });

  const browser = new TestBrowser(service);
  const started = await browser.open(String(saved.url));
  const requestId = started.headers.get('location')?.split('/').at(-1) ?? '';
  const input = { request: requestId, environment: 'LIVE', scopes: ['WORKFLOWS_READ'] };
  const { body } = await decide(service, browser, await openSession(service, 'viewer'), ALLOW_APP, input);
  const returned = await browser.open(body.data.allowApp.redirectUrl);
  const code = new URL(returned.headers.get('location') ?? '').searchParams.get('code') ?? '';
  await transport.finishAuth(code);

  const client = newClient();
  await client.connect(open() as Parameters<Client['connect']>[0]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_deployments']);
  await client.close();
});
