import type { Request } from 'express';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { addressKey } from '../operation/rate-limits.ts';

const KIB = 1024;

/** In the process, because these files need no database, and a page loads many of them. */
const traffic = new RateLimiterMemory({ points: LIMITS.pageFileMib * KIB, duration: 60 });

/**
 * Counts the bytes of a file that is sent, by IP address: a client that reads nothing costs the memory of the system.
 * @throws {ServiceError} rate_limited
 */
export async function countFileTraffic({ ip = '' }: Pick<Request, 'ip'>, bytes: number): Promise<void> {
  try {
    await traffic.consume(addressKey(ip), Math.ceil(bytes / KIB));
  } catch (refused) {
    const { msBeforeNext } = refused as RateLimiterRes;
    const seconds = Math.ceil(msBeforeNext / 1_000);
    const message = `Your address has loaded ${LIMITS.pageFileMib} MiB of pages and files within a minute. Try again in ${seconds} s.`;
    throw new ServiceError('rate_limited', message, { retryAfterMs: msBeforeNext });
  }
}
