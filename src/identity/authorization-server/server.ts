import { hkdfSync } from 'node:crypto';
import type { Response as Reply, Request } from 'express';
import { deploymentOfResource } from '../../contract/apps/deployment-resource.ts';
import { LIMITS } from '../../contract/limits.ts';
import { END_USER_SCOPES, SCOPES } from '../../contract/scopes.ts';
import { type AuthorizationRules, resourcesOf } from '../../domain/access/apps/authorization-port.ts';
import type { GuardSettings } from '../../outbound/guard.ts';
import { createGuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { GuardedFetchError } from '../../outbound/guarded-fetch-error.ts';
import type { ProviderParts } from './parts.ts';

/** The limits of a request for the document or the keys of an app. Redirects are not followed. */
const BOUNDS = { timeoutMs: 5_000, maxBytes: LIMITS.appDocumentBytes };

interface ServerParts {
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly cookieName: string;
  readonly outbound: GuardSettings;
  readonly rules: AuthorizationRules;
  onError(error: Error): void;
}

/** Creates the authorization server. Its library is loaded with the first request, because most services never need it. */
export function createAuthorizationServer(server: ServerParts): (request: Request, response: Reply) => Promise<void> {
  const { host, protocol } = new URL(server.publicUrl);
  let loading: Promise<(request: never, response: never) => Promise<void>> | undefined;
  return async (request, response) => {
    loading ??= load(providerParts(server)).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const handle = await loading;
    // A client can send any host. The library believes these headers.
    request.headers['x-forwarded-host'] = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    request.headers.host = host;
    await handle(request as never, response as never);
  };
}

async function load(parts: ProviderParts) {
  const { createProvider } = await import('./authorization-provider.ts');
  return createProvider(parts);
}

function providerParts({ publicUrl, secretKey, cookieName, outbound, rules, onError }: ServerParts): ProviderParts {
  return {
    publicUrl,
    rules,
    scopesOf(resource) {
      if (resourcesOf(publicUrl).includes(resource)) return SCOPES;
      return deploymentOfResource(publicUrl, resource) ? END_USER_SCOPES : undefined;
    },
    decisionPage: (resource, requestId) =>
      `${publicUrl}${deploymentOfResource(publicUrl, resource) ? '' : '/dashboard'}/connect/${requestId}`,
    cookie: { name: cookieName, key: cookieKey(secretKey), isSecure: publicUrl.startsWith('https:') },
    fetch: documentFetch(outbound),
    mayFetch: (request) => rules.mayReadDocument(request.ip ?? ''),
    appOf(client) {
      if (!client) return undefined;
      const { clientId, clientName } = client;
      return {
        name: rules.appName(clientName) ?? rules.appName(clientId) ?? '',
        host: URL.canParse(clientId) ? new URL(clientId).host : null,
      };
    },
    onError,
  };
}

/** Reads documents and keys of apps, only over https. @throws {GuardedFetchError} */
function documentFetch(outbound: GuardSettings): ProviderParts['fetch'] {
  const fetcher = createGuardedFetcher(outbound);
  return async (url) => {
    if (new URL(url).protocol !== 'https:') throw new GuardedFetchError('refused', 'It must be an https URL.');
    const request = { headers: { accept: 'application/json' }, ...BOUNDS };
    const { status, headers, body } = await fetcher.fetch(url, request);
    // The body is decompressed already.
    const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers;
    return new Response(NO_BODY.has(status) ? null : Buffer.from(body), { status, headers: rest });
  };
}

/** A `Response` with these statuses cannot have a body. */
const NO_BODY = new Set([204, 205, 304]);

/** Derives a separate key from SECRET_KEY for the cookies of requests. */
function cookieKey(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'parley connection cookies', 32)).toString('base64url');
}
