import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { APP_CALLBACK } from './app-server.ts';
import type { Client as HttpClient } from './client.ts';

type Provider = NonNullable<
  NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['authProvider']
>;

interface Options {
  /** The address of the MCP server: all that the client knows. */
  readonly address: string;
  /** The document of the client. Undefined: it registers itself. */
  readonly documentUrl: string | undefined;
  /** Takes the person through the pages, from the address that the client opens in the browser. Resolves with the code. */
  readonly allow: (authorizeUrl: string) => Promise<string>;
}

/** Connects the official MCP client, which finds everything from the address. Its person allows the access. */
export async function connectOfficial(
  service: HttpClient,
  { address, documentUrl, allow }: Options,
): Promise<{ readonly client: Client; readonly clientId: string }> {
  const saved: { url?: URL; tokens?: object; client?: { client_id: string }; verifier?: string } = {};
  const provider = {
    redirectUrl: APP_CALLBACK,
    clientMetadataUrl: documentUrl,
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
    new StreamableHTTPClientTransport(new URL(address), {
      authProvider: provider as unknown as Provider,
      fetch: send,
    });
  const newClient = () => new Client({ name: 'official', version: '1.0.0' });
  const transport = open();
  const refusal = await newClient()
    .connect(transport as Parameters<Client['connect']>[0])
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (!(refusal instanceof UnauthorizedError))
    throw new Error('The client got no request to sign in', { cause: refusal });
  await transport.finishAuth(await allow(String(saved.url)));
  const client = newClient();
  await client.connect(open() as Parameters<Client['connect']>[0]);
  return { client, clientId: saved.client?.client_id ?? '' };
}
