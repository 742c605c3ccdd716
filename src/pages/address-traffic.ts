import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { addressKey } from '../operation/rate-limits.ts';

const KIB = 1024;

const loaded = new RateLimiterMemory({ points: LIMITS.pageFileMib * KIB, duration: 60 });

/**
 * Counts the bytes of pages and files before one IP address loads them: a client that reads nothing costs the memory of the
 * system. Each process counts on its own, so that counting costs no statement.
 * @throws {ServiceError} rate_limited
 */
export async function countTraffic(address: string, bytes: number): Promise<void> {
  try {
    await loaded.consume(addressKey(address), Math.ceil(bytes / KIB));
  } catch (refused) {
    const { msBeforeNext } = refused as RateLimiterRes;
    const seconds = Math.ceil(msBeforeNext / 1_000);
    const message = `Your address has loaded ${LIMITS.pageFileMib} MiB of pages and files within a minute. Try again in ${seconds} s.`;
    throw new ServiceError('rate_limited', message, { retryAfterMs: msBeforeNext });
  }
}
