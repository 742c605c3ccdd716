import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  type OAuthClientInformationMixed,
  refreshAuthorization,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { LIMITS } from '../../contract/limits.ts';
import {
  AuthorizationError,
  type AuthorizationServer,
  type McpAuthorizationPort,
  type OAuthClient,
  type OAuthTokens,
  type TokenRequest,
} from '../../domain/actions/mcp-authorization-port.ts';
import type { GuardSettings } from '../../outbound/guard.ts';
import { createGuardedFetcher } from '../../outbound/guarded-fetch.ts';
import type { SessionFetch } from '../../outbound/guarded-session.ts';
import { isAllowedAddress } from '../../outbound/workspace-addresses.ts';
import { requireUsableUrl } from './authorization-bounds.ts';
import { authorizationErrorOf } from './authorization-error.ts';
import { startAuthorization } from './authorization-start.ts';

/** The limits of all requests of one step together. */
const BOUNDS = { timeoutMs: 10_000, maxBytes: LIMITS.integrationSignInBytes };

/** Signs in to MCP servers with OAuth. Each address comes from a tenant or a server, so each request is guarded. */
export function createMcpAuthorization(settings: GuardSettings): McpAuthorizationPort {
  const fetcher = createGuardedFetcher(settings);

  function step<T>(work: (fetch: SessionFetch) => Promise<T>): Promise<T> {
    const run = fetcher.session(BOUNDS, (fetch) =>
      work(async (input, init) => {
        const url = input instanceof Request ? input.url : String(input);
        requireUsableUrl(url);
        requireSafe(url);
        return fetch(input, init);
      }),
    );
    return run.catch((error: unknown) => {
      throw authorizationErrorOf(error);
    });
  }

  function requireSafe(url: string): void {
    if (isAllowedAddress(url, settings)) return;
    throw new AuthorizationError(
      'rejected',
      'The MCP server or its authorization server names an address that is not an https URL.',
    );
  }

  return {
    start: (input) =>
      step(async (fetch) => {
        const started = await startAuthorization(input, fetch);
        requireSafe(started.authorizationUrl);
        return started;
      }),

    redeem: ({ server, client, code, iss, codeVerifier, redirectUri }) =>
      step(async (fetchFn) => {
        const tokens = await exchangeAuthorization(server.issuer, {
          ...requestOf({ server, client }),
          authorizationCode: code,
          ...(iss !== undefined && { iss }),
          codeVerifier,
          redirectUri,
          fetchFn,
        });
        return tokensOf(tokens);
      }),

    refresh: ({ server, client, refreshToken }) =>
      step(async (fetchFn) => {
        const request = { ...requestOf({ server, client }), refreshToken, fetchFn };
        return tokensOf(await refreshAuthorization(server.issuer, request));
      }),

    revoke: ({ server, client, token }) =>
      step(async (fetch) => {
        if (server.revocationEndpoint === undefined) return;
        const { headers, params } = authenticated(client, server);
        params.set('token', token);
        const response = await fetch(server.revocationEndpoint, { method: 'POST', headers, body: params });
        await response.body?.cancel();
        if (!response.ok) throw new AuthorizationError('failed', `The server responded with ${response.status}.`);
      }),
  };
}

function requestOf({ server, client }: TokenRequest) {
  const metadata = server.isDescribed ? { metadata: metadataOf(server) } : {};
  const resource = server.resource === undefined ? {} : { resource: server.resource };
  return { ...metadata, ...resource, clientInformation: informationOf(client) };
}

/** The members that requests for tokens need. */
function metadataOf({
  issuer,
  tokenEndpoint,
  authMethods,
  namesIssuer,
}: AuthorizationServer): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: issuer,
    token_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: namesIssuer,
    ...(authMethods.length > 0 && { token_endpoint_auth_methods_supported: [...authMethods] }),
  };
}

function informationOf({ clientId, clientSecret, authMethod }: OAuthClient): OAuthClientInformationMixed {
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}

/** The authentication of the client, as in requests for tokens. */
function authenticated(client: OAuthClient, { authMethods }: AuthorizationServer) {
  const params = new URLSearchParams();
  const method = selectClientAuthMethod(informationOf(client), [...authMethods]);
  const pair = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  if (method === 'client_secret_basic') return { params, headers: { authorization: `Basic ${pair}` } };
  params.set('client_id', client.clientId);
  if (method === 'client_secret_post') params.set('client_secret', client.clientSecret ?? '');
  return { params, headers: {} };
}

/** A header can have these characters. */
const TOKEN = /^[\x21-\x7e]+$/;

/** A century would be no date of the database. */
const LONGEST_SECONDS = 10 * 366 * 86_400;

interface ReceivedTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
}

function tokensOf({
  access_token: accessToken,
  token_type: type,
  refresh_token,
  expires_in: seconds,
}: ReceivedTokens): OAuthTokens {
  const refreshToken = refresh_token === '' ? undefined : refresh_token;
  const isUsable = TOKEN.test(accessToken) && accessToken.length <= LIMITS.integrationTokenLength;
  if (!isUsable || (refreshToken?.length ?? 0) > LIMITS.integrationTokenLength) {
    throw new AuthorizationError('rejected', 'The authorization server sent a token that cannot be used.');
  }
  if (type.toLowerCase() !== 'bearer') {
    throw new AuthorizationError('rejected', 'The authorization server sent a token that is not a bearer token.');
  }
  const expiresIn = seconds !== undefined && seconds >= 0 ? Math.min(seconds, LONGEST_SECONDS) : undefined;
  return { accessToken, refreshToken, expiresIn };
}
