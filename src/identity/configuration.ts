import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  type ExportedJWKSCache,
  enableNonRepudiationChecks,
  type ServerMetadata,
  setJwksCache,
} from 'openid-client';
import type { OidcClient } from '../domain/access/sso/oidc-port.ts';
import { SIGNATURE_ALGORITHMS } from './algorithms.ts';

/** A `fetch` that sends requests only to addresses that the service may call. */
export type SafeFetch = (url: string, init: object) => Promise<Response>;

/** The registration of one workspace at a provider, for the requests of one step. */
export function clientConfiguration(
  server: ServerMetadata,
  { clientId, clientSecret }: OidcClient,
  fetch: SafeFetch,
  keys?: ExportedJWKSCache,
): Configuration {
  const named = server.id_token_signing_alg_values_supported ?? ['RS256'];
  const metadata = {
    ...server,
    id_token_signing_alg_values_supported: named.filter((name) => SIGNATURE_ALGORITHMS.includes(name)),
  };
  const config = new Configuration(metadata, clientId, {}, authenticationAt(server, clientSecret));
  config[customFetch] = fetch;
  // By default the library trusts the connection to the provider instead of the signature.
  enableNonRepudiationChecks(config);
  if (keys) setJwksCache(config, keys);
  return config;
}

/** `client_secret_basic` is the default of the standard. */
function authenticationAt(server: ServerMetadata, secret: string): ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}
