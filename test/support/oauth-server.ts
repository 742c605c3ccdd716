import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type FakeMcp, type FakeTool, type McpRequest, startMcp, textResult } from './mcp-server.ts';

/** A request that the authorization server received. */
export interface OAuthRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: URLSearchParams;
  readonly json: Readonly<Record<string, unknown>>;
}

/** How the servers deviate from an ordinary pair. A test can change the values at any time. */
export interface OAuthOptions {
  /** Members of the metadata of the authorization server. Undefined removes one. */
  metadata?: Record<string, unknown>;
  /** Members of the description of the MCP server. Null: it does not describe itself. */
  resource?: Record<string, unknown> | null;
  /** Members of the responses with tokens. */
  tokens?: Record<string, unknown>;
  /** Writes the response of a path instead of the server. */
  answer?: (path: string, response: ServerResponse) => boolean;
  /** Resolves when the response of a path may be written. */
  hold?: ((path: string) => Promise<void> | undefined) | undefined;
  /** The parameters of `WWW-Authenticate`. */
  challenge?: string;
  /** Refuses a request of a signed-in client, or of one without a token. */
  refuse?: ((request: McpRequest) => { readonly status: number; readonly challenge: string } | undefined) | undefined;
  /** Requests that need no token. */
  isOpen?: ((request: McpRequest) => boolean) | undefined;
  /** Further tools. */
  tools?: Readonly<Record<string, FakeTool>>;
  /** Whether the MCP server has the revision 2026-07-28. */
  isModern?: boolean;
  /** The scope that a tool needs, by its name. */
  scopes?: Record<string, string>;
}

/** An MCP server that accepts only the tokens of its authorization server. */
export interface OAuthPair {
  readonly mcp: FakeMcp;
  readonly issuer: string;
  readonly options: OAuthOptions;
  readonly requests: readonly OAuthRequest[];
  /** The requests for one path. */
  at(path: string): readonly OAuthRequest[];
  /** Refuses all tokens from now on. */
  revokeAccess(): void;
  /** Refuses the refresh tokens from now on. */
  revokeRefresh(): void;
  /** Where the person's browser goes after they allow the access: the redirect URI with the response. */
  allow(authorizationUrl: string, fields?: Readonly<Record<string, string>>): URL;
  close(): Promise<void>;
}

interface Grant {
  readonly challenge: string | null;
  readonly client: string | null;
  readonly redirectUri: string | null;
  readonly scope: string | null;
}

/** The status and the body of a response. */
type Answer = readonly [status: number, value: object];

const TOOLS: Readonly<Record<string, FakeTool>> = {
  weather: { call: () => textResult('Sunny') },
  admin: { call: () => textResult('Done') },
  echo: { call: (_, { headers }) => textResult(`You sent ${headers.authorization}`) },
};

/** Holds the next request for a path, before the server looks at it. */
export function holdNext(pair: OAuthPair, path: string) {
  const [arrival, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  pair.options.hold = (asked) => {
    if (asked !== path) return undefined;
    pair.options.hold = undefined;
    arrival.resolve();
    return release.promise;
  };
  return { arrived: arrival.promise, release: () => release.resolve() };
}

/** Starts both servers. Refresh tokens rotate: one that is used twice ends its whole family, as RFC 9700 recommends. */
export async function startOAuthPair(options: OAuthOptions = {}): Promise<OAuthPair> {
  const requests: OAuthRequest[] = [];
  const codes = new Map<string, Grant>();
  const access = new Map<string, string | null>();
  const refresh = new Map<string, string | null>();
  const used = new Set<string>();

  const challengeOf = (request: McpRequest) => {
    const { headers, message } = request;
    const refusal = options.refuse?.(request);
    if (refusal) return refusal;
    if (options.isOpen?.(request)) return undefined;
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const parameters = options.challenge ?? `resource_metadata="${issuer}/resource"`;
    if (!access.has(token)) return { status: 401, challenge: `Bearer ${parameters}` };
    const needed = options.scopes?.[String(message?.params?.name)];
    const hasScope = needed === undefined || access.get(token)?.split(' ').includes(needed);
    return hasScope ? undefined : { status: 403, challenge: `Bearer error="insufficient_scope", scope="${needed}"` };
  };
  const mcp = await startMcp({ ...TOOLS, ...options.tools }, { challengeOf, isModern: options.isModern ?? false });

  const server = createServer(async (request, response) => {
    const raw = await text(request);
    const path = request.url ?? '';
    const isJson = request.headers['content-type']?.includes('json');
    requests.push({
      path,
      authorization: request.headers.authorization,
      body: new URLSearchParams(isJson ? '' : raw),
      json: isJson ? JSON.parse(raw) : {},
    });
    await options.hold?.(path);
    if (options.answer?.(path, response)) return;
    const [status, value] = answers[path]?.(raw) ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });

  const answers: Readonly<Record<string, (raw: string) => Answer | undefined>> = {
    '/resource': () =>
      options.resource === null
        ? undefined
        : [200, { resource: mcp.url, authorization_servers: [issuer], ...options.resource }],
    '/.well-known/oauth-authorization-server': () => [200, metadata()],
    '/register': (raw) => [201, { ...JSON.parse(raw), client_id: `client-${randomUUID()}` }],
    '/token': (raw) => token(new URLSearchParams(raw)),
    '/revoke': () => [200, {}],
  };

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
    ...options.metadata,
  });

  function issue(scope: string | null): Answer {
    const [accessToken, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.set(accessToken, scope);
    refresh.set(refreshToken, scope);
    const times = { token_type: 'Bearer', expires_in: 3_600, ...options.tokens };
    return [200, { access_token: accessToken, refresh_token: refreshToken, ...times }];
  }

  function token(body: URLSearchParams): Answer {
    return body.get('grant_type') === 'refresh_token' ? exchange(body.get('refresh_token') ?? '') : redeem(body);
  }

  function exchange(sent: string): Answer {
    if (used.has(sent)) {
      access.clear();
      refresh.clear();
    }
    const scope = refresh.get(sent);
    if (scope === undefined) return [400, { error: 'invalid_grant' }];
    refresh.delete(sent);
    used.add(sent);
    return issue(scope);
  }

  function redeem(body: URLSearchParams): Answer {
    const code = body.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid = grant?.challenge === challenge && grant.redirectUri === body.get('redirect_uri');
    return isValid ? issue(grant.scope) : [400, { error: 'invalid_grant', error_description: 'secret detail' }];
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only pipes have an address other than AddressInfo.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    mcp,
    issuer,
    options,
    requests,
    at: (path) => requests.filter((one) => one.path === path),
    revokeAccess: () => access.clear(),
    revokeRefresh: () => refresh.clear(),
    allow(authorizationUrl, fields = {}) {
      const { searchParams: asked } = new URL(authorizationUrl);
      const code = `code-${randomUUID()}`;
      codes.set(code, {
        challenge: asked.get('code_challenge'),
        client: asked.get('client_id'),
        redirectUri: asked.get('redirect_uri'),
        scope: asked.get('scope'),
      });
      const response = { code, state: asked.get('state') ?? '', iss: issuer, ...fields };
      const url = new URL(asked.get('redirect_uri') ?? '');
      url.search = String(new URLSearchParams(Object.entries(response).filter(([, value]) => value !== '')));
      return url;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all([once(server, 'close'), mcp.close()]);
    },
  };
}
