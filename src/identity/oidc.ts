import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  getJwksCache,
} from 'openid-client';
import {
  type OidcAttempt,
  type OidcClaims,
  type OidcClient,
  OidcError,
  type OidcPort,
} from '../domain/access/sso/oidc-port.ts';
import type { GuardSettings } from '../outbound/guard.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { isAllowedAddress } from '../outbound/workspace-addresses.ts';
import { clientConfiguration, type SafeFetch } from './configuration.ts';
import { DiscoveryCache } from './discovery-cache.ts';
import { errorOf } from './errors.ts';

/** The limits of all requests of one step to the provider together. */
const BOUNDS = { timeoutMs: 10_000, maxBytes: 512 * 1024 };

/** Personal data that the service reads. */
const SCOPE = 'openid email profile';

/** Signs people in with the code flow and PKCE. Every request goes through the guarded client. */
export function createOidc(settings: GuardSettings, monotonicMs: () => number): OidcPort {
  const fetcher = createGuardedFetcher(settings);
  const cache = new DiscoveryCache(monotonicMs);

  /** Runs a step with a `fetch` that accepts only addresses that webhooks may use as well. */
  function step<T>(work: (fetch: SafeFetch) => Promise<T>): Promise<T> {
    const run = fetcher.session(BOUNDS, (fetch) =>
      work((url, init) => {
        requireSafe(url);
        return fetch(url, init as RequestInit);
      }),
    );
    return run.catch((error: unknown) => {
      throw errorOf(error);
    });
  }

  function requireSafe(url: string): void {
    if (isAllowedAddress(url, settings)) return;
    throw new OidcError('failed', 'The provider names an address that is not an https URL.');
  }

  return {
    problemOf: (issuer) =>
      step(async (fetch) => {
        const { server } = await cache.refresh(issuer, fetch);
        requireSafe(String(server.authorization_endpoint));
      }).then(
        () => undefined,
        (error: unknown) => errorOf(error).message,
      ),

    authorizationUrl: (client, attempt) =>
      step(async (fetch) => {
        const { server } = await cache.read(client.issuer, fetch);
        const config = clientConfiguration(server, client, fetch);
        allowInsecureRequests(config);
        const url = buildAuthorizationUrl(config, {
          redirect_uri: attempt.redirectUri,
          scope: SCOPE,
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
          code_challenge_method: 'S256',
        });
        requireSafe(url.href);
        return url;
      }),

    claimsOf: (client, attempt, response) => step((fetch) => redeem(cache, client, attempt, response, fetch)),
  };
}

async function redeem(
  cache: DiscoveryCache,
  client: OidcClient,
  { redirectUri, state, nonce, codeVerifier }: OidcAttempt,
  response: URLSearchParams,
  fetch: SafeFetch,
): Promise<OidcClaims> {
  const entry = await cache.read(client.issuer, fetch);
  const config = clientConfiguration(entry.server, client, fetch, entry.keys);
  // Whether an address may use http is decided by `requireSafe`.
  allowInsecureRequests(config);
  const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${response}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  entry.keys = getJwksCache(config);
  const claims = tokens.claims();
  if (!claims) throw new OidcError('invalid', 'The provider sent no ID token.');
  if (claims.email !== undefined || entry.server.userinfo_endpoint === undefined) return claims;
  // Some providers put the email address and the groups only here.
  const more = await fetchUserInfo(config, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}
