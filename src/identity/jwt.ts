import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { JwtPort, JwtRule, VerifiedJwt } from '../domain/access/end-users/jwt-port.ts';
import type { GuardSettings } from '../outbound/guard.ts';
import { SIGNATURE_ALGORITHMS } from './algorithms.ts';
import { createJwksReader, JwksError } from './jwks.ts';
import { JwksCache } from './jwks-cache.ts';

const FORMAT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const MAX_AGE_SECONDS = LIMITS.endUserJwtHours * 3_600;

/** Text that the database can store. */
const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => value.trim() !== '' && !value.includes('\0') && value.isWellFormed());

const header = z.object({
  alg: z.string().refine((alg) => SIGNATURE_ALGORITHMS.includes(alg)),
  kid: z.string().max(LIMITS.keyIdLength).optional(),
});

const audience = text(LIMITS.audienceLength);

const payload = z.object({
  iss: text(LIMITS.addressLength),
  aud: z.union([audience.transform((one) => [one]), z.array(audience).min(1).max(LIMITS.endUserJwtAudiences)]),
  sub: text(LIMITS.endUserLength),
  iat: z.number(),
  exp: z.number(),
});

/** Verifies the JWTs of end users. Requests for keys go through the guarded client. */
export function createJwts(settings: GuardSettings, monotonicMs: () => number): JwtPort {
  const readKeys = createJwksReader(settings);
  const cache = new JwksCache(readKeys, monotonicMs);
  return {
    read(token) {
      const { iss, aud } = parse(token) ?? {};
      return iss === undefined || aud === undefined ? undefined : { issuer: iss, audiences: aud };
    },

    async verify(token, rule, waitMs) {
      const { jwksUrl } = rule;
      const keys = await within(waitMs, cache.keysOf(jwksUrl));
      if (!keys) {
        const message = 'The keys to verify this token could not be read. Try again later.';
        throw new ServiceError('unavailable', message);
      }
      const claims = await verifyWith(keys, token, rule);
      if (claims !== 'unknown key') return claims && verified(claims);
      const newer = await within(waitMs, cache.newerKeysOf(jwksUrl, keys));
      const checked = newer && (await verifyWith(newer, token, rule));
      return checked && checked !== 'unknown key' ? verified(checked) : undefined;
    },

    async problemOf(jwksUrl) {
      try {
        await readKeys(jwksUrl);
        return undefined;
      } catch (error) {
        if (error instanceof JwksError) return error.message;
        throw error;
      }
    },
  };
}

/** The keys, or undefined if reading them takes longer. The request for them continues, so that a later JWT finds them. */
async function within<Keys>(waitMs: number | undefined, keys: Promise<Keys>): Promise<Keys | undefined> {
  if (waitMs === undefined) return keys;
  const late = new AbortController();
  try {
    return await Promise.race([keys, sleep(waitMs, undefined, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

/** The claims that every JWT must have. The size is checked before anything is decoded. */
function parse(token: string): z.output<typeof payload> | undefined {
  if (token.length > LIMITS.endUserJwtLength || !FORMAT.test(token)) return undefined;
  try {
    header.parse(decodeProtectedHeader(token));
    return payload.parse(decodeJwt(token));
  } catch {
    return undefined;
  }
}

/** The claims of a JWT with a valid signature. Undefined if it is not valid. */
async function verifyWith(
  keys: JWTVerifyGetKey,
  token: string,
  { issuer, audience }: JwtRule,
): Promise<JWTPayload | 'unknown key' | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...SIGNATURE_ALGORITHMS],
      requiredClaims: ['sub', 'iat', 'exp'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: LIMITS.endUserJwtClockSeconds,
    });
    return payload;
  } catch (error) {
    // A key that cannot be used, for example one that is too short, is an error of another kind. It verifies nothing.
    return error instanceof errors.JWKSNoMatchingKey ? 'unknown key' : undefined;
  }
}

function verified(claims: JWTPayload): VerifiedJwt | undefined {
  const { sub, iat, exp } = payload.parse(claims);
  const expiresAt = new Date(Math.min(exp, iat + MAX_AGE_SECONDS) * 1_000);
  // The tolerance of clocks is for tokens that seem to be from the future.
  if (expiresAt.getTime() <= Date.now()) return undefined;
  return { subject: sub, issuedAt: new Date(iat * 1_000), expiresAt, claims };
}
