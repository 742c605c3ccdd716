import { z } from 'zod';
import { ServiceError } from '../contract/errors.ts';
import type { ChallengePort } from '../domain/access/challenges/challenge-port.ts';
import type { GuardSettings } from '../outbound/guard.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';

/** The provider of challenges: Turnstile, hCaptcha, reCAPTCHA, or one with the same request. */
export interface ChallengeSettings {
  readonly verifyUrl: string;
  readonly secret: string;
  readonly siteKey: string;
}

/** Limits of a verification. A caller waits for it before its turn starts. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024;

const verdict = z.object({ success: z.boolean() });

/** The only request that all three providers share. A provider that does not answer admits nobody. */
export function createChallenges(
  { verifyUrl, secret, siteKey }: ChallengeSettings,
  allowLoopback: boolean,
  outbound: GuardSettings | undefined,
): ChallengePort {
  const fetcher = createGuardedFetcher({ allowLoopback, ...outbound });
  return {
    siteKey,
    async verify(response, address) {
      const body = new URLSearchParams({ secret, response, remoteip: address }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
      try {
        const request = { method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
        const reply = await fetcher.fetch(verifyUrl, request);
        if (reply.status === 200) return verdict.parse(JSON.parse(Buffer.from(reply.body).toString())).success;
      } catch {
        // Its message could contain the URL. The request log has the 503.
      }
      throw new ServiceError('unavailable', 'The challenge cannot be verified at the moment. Try again shortly.');
    },
  };
}
