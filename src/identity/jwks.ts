import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { LIMITS } from '../contract/limits.ts';
import type { GuardSettings } from '../outbound/guard.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { GuardedFetchError } from '../outbound/guarded-fetch-error.ts';
import { isAllowedAddress } from '../outbound/workspace-addresses.ts';

/** The limits of the request for the keys. Redirects are not followed. */
const BOUNDS = { timeoutMs: 5_000, maxBytes: LIMITS.jwksBytes };

const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(LIMITS.jwksKeys) });

const ASYMMETRIC: readonly string[] = ['RSA', 'EC', 'OKP'];

/** Why the keys cannot be used. `message` is safe to show. */
export class JwksError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JwksError';
  }
}

/** Returns a function that reads the public keys at a URL. @throws {JwksError} */
export function createJwksReader(settings: GuardSettings): (url: string) => Promise<JWTVerifyGetKey> {
  const fetcher = createGuardedFetcher(settings);
  return async (url) => {
    if (!isAllowedAddress(url, settings)) throw new JwksError('It must be an https URL.');
    const { status, body } = await fetcher
      .fetch(url, { headers: { accept: 'application/json' }, ...BOUNDS })
      .catch((error: unknown) => {
        throw error instanceof GuardedFetchError ? new JwksError(error.message) : error;
      });
    if (status !== 200) throw new JwksError(`The address responded with status ${status} in place of 200.`);
    const keys = keysIn(body);
    if (keys.length > 0) return createLocalJWKSet({ keys });
    throw new JwksError('The response contains no public key: it must be a JWKS with keys of the type RSA, EC or OKP.');
  };
}

function keysIn(body: Uint8Array) {
  try {
    const { keys } = jwks.parse(JSON.parse(new TextDecoder().decode(body)));
    return keys.filter(({ kty }) => ASYMMETRIC.includes(kty));
  } catch {
    throw new JwksError(`The response must be a JWKS with at most ${LIMITS.jwksKeys} keys.`);
  }
}
