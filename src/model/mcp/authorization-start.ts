import {
  type AuthorizationServerMetadata,
  auth,
  checkResourceAllowed,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import {
  AuthorizationError,
  type AuthorizationServer,
  type AuthorizationStart,
  type OAuthClient,
  type StartedAuthorization,
} from '../../domain/actions/mcp-authorization-port.ts';
import type { SessionFetch } from '../../outbound/guarded-session.ts';
import { boundedClient, boundedServer, requireUsableScope, requireUsableUrl } from './authorization-bounds.ts';

/** A request that servers refuse without credentials before they read it. It opens no session. */
const PROBE = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: {} });

/** Finds the authorization server of an MCP server, registers if needed, and builds the address for the browser. */
export async function startAuthorization(
  input: AuthorizationStart,
  fetch: SessionFetch,
): Promise<StartedAuthorization> {
  const challenge = await challengeOf(input.url, fetch);
  const provider = new StartProvider(input);
  const scope = computeScopeUnion(input.scope, challenge.scope);
  if (scope !== undefined) requireUsableScope(scope);
  try {
    await auth(provider, {
      serverUrl: input.url,
      fetchFn: fetch,
      forceReauthorization: true,
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
  } catch (error) {
    throw provider.problem() ?? error;
  }
  return provider.started();
}

async function challengeOf(url: string, fetch: SessionFetch) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(url, { method: 'POST', headers, body: PROBE });
  await response.body?.cancel();
  return response.status === 401 || response.status === 403 ? extractWWWAuthenticateParams(response) : {};
}

/** Keeps the outcome of the package's flow in memory. */
class StartProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientProvider['clientMetadata'];
  readonly clientMetadataUrl?: string;
  readonly #input: AuthorizationStart;
  #discovery: OAuthDiscoveryState | undefined;
  #client: OAuthClient | undefined;
  #codeVerifier = '';
  #authorizationUrl: URL | undefined;

  constructor(input: AuthorizationStart) {
    this.#input = input;
    this.redirectUrl = input.redirectUri;
    this.clientMetadata = input.metadata;
    if (input.documentUrl !== undefined) this.clientMetadataUrl = input.documentUrl;
  }

  state(): string {
    return this.#input.state;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  clientInformation(
    { issuer }: { readonly issuer: string } = { issuer: '' },
  ): StoredOAuthClientInformation | undefined {
    const { client } = this.#input;
    const isFormer = client?.redirectUri !== undefined && client.redirectUri !== this.redirectUrl;
    if (!client || isFormer) return undefined;
    if (client.issuer !== undefined && client.issuer !== issuer) {
      if (client.source !== 'entered') return undefined;
      const message =
        'The MCP server names another authorization server than before. Sign out, then enter a client ID of the new one.';
      throw new AuthorizationError('rejected', message);
    }
    this.#client = { ...client, issuer };
    return {
      issuer,
      client_id: client.clientId,
      ...(client.clientSecret !== undefined && { client_secret: client.clientSecret }),
      ...(client.authMethod !== undefined && { token_endpoint_auth_method: client.authMethod }),
    };
  }

  saveClientInformation(saved: StoredOAuthClientInformation & { readonly token_endpoint_auth_method?: string }): void {
    this.#client = {
      clientId: saved.client_id,
      clientSecret: saved.client_secret,
      authMethod: saved.token_endpoint_auth_method,
      source: saved.client_id === this.#input.documentUrl ? 'document' : 'registered',
      issuer: saved.issuer,
      redirectUri: this.redirectUrl,
    };
  }

  tokens(): undefined {}

  saveTokens(): void {}

  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier;
  }

  codeVerifier(): string {
    return this.#codeVerifier;
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url;
  }

  /** Facts that explain a failure of the package, which has no types for them. */
  problem(): AuthorizationError | undefined {
    const { authorizationServerMetadata: metadata, resourceMetadata } = this.#discovery ?? {};
    const { url } = this.#input;
    if (resourceMetadata && !isAbout(resourceMetadata.resource, url)) {
      return new AuthorizationError('rejected', "The MCP server's description is about another address.");
    }
    if (metadata && !this.#client && metadata.registration_endpoint === undefined) {
      const message =
        'The authorization server does not register clients on request. Enter a client ID that its operator gives you.';
      return new AuthorizationError('rejected', message);
    }
    return undefined;
  }

  started(): StartedAuthorization {
    const [discovery, client, authorizationUrl] = [this.#discovery, this.#client, this.#authorizationUrl];
    if (!discovery || !client || !authorizationUrl) throw new Error('The flow ended without an address.');
    const scope = authorizationUrl.searchParams.get('scope') ?? undefined;
    if (scope !== undefined) requireUsableScope(scope);
    const { authorization_endpoint: endpoint } = discovery.authorizationServerMetadata ?? {};
    if (endpoint !== undefined) requireUsableUrl(endpoint);
    return {
      authorizationUrl: authorizationUrl.href,
      codeVerifier: this.#codeVerifier,
      server: boundedServer(serverOf(discovery)),
      client: boundedClient(client),
      scope,
    };
  }
}

function isAbout(configuredResource: string, requestedResource: string): boolean {
  return URL.canParse(configuredResource) && checkResourceAllowed({ requestedResource, configuredResource });
}

function serverOf({
  authorizationServerUrl,
  authorizationServerMetadata: metadata,
  resourceMetadata,
}: OAuthDiscoveryState): AuthorizationServer {
  return {
    issuer: metadata?.issuer ?? String(authorizationServerUrl),
    isDescribed: metadata !== undefined,
    tokenEndpoint: metadata?.token_endpoint ?? new URL('/token', authorizationServerUrl).href,
    revocationEndpoint: revocationOf(metadata),
    authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
    namesIssuer: metadata?.authorization_response_iss_parameter_supported === true,
    resource: resourceMetadata?.resource,
  };
}

function revocationOf(metadata: AuthorizationServerMetadata | undefined): string | undefined {
  const { revocation_endpoint: endpoint } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return typeof endpoint === 'string' ? endpoint : undefined;
}
