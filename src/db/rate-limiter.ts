import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import { REDIS_OPTIONS } from './redis-options.ts';

/** So many requests in so many seconds, counted apart from those under any other name. */
export interface RateLimit {
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

/** What is left of a limit after a request was counted. */
export interface Allowance {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the count begins anew. */
  readonly resetSeconds: number;
}

/** Counts requests for all processes of the service. */
export interface RateLimiter {
  take(limit: RateLimit, key: string): Promise<Allowance>;
  close(): void;
}

/**
 * Counts in Redis where it is configured, else in PostgreSQL, else in this process, which then is the only one. Where
 * the store cannot be reached, each process counts for itself: a limit never makes the service unavailable.
 */
export async function openRateLimiter(
  { embedded, pool, name }: Pick<Database, 'embedded' | 'pool' | 'name'>,
  redisUrl: string | undefined,
  onFault: (error: unknown) => void,
): Promise<RateLimiter> {
  const redis = redisUrl ? await connectRedis(redisUrl, onFault) : undefined;
  const open = (limit: RateLimit): RateLimiterAbstract => {
    // One Redis may serve several databases.
    const keyPrefix = `parley:${name}:${limit.name}`;
    const options = { keyPrefix, points: limit.points, duration: limit.seconds };
    const memory = new RateLimiterMemory(options);
    if (redis) return new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory });
    if (embedded) return memory;
    return new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
      insuranceLimiter: memory,
    });
  };
  const limiters = new Map<string, RateLimiterAbstract>();
  return {
    async take(limit, key) {
      // What was counted stays counted when a limit is set anew.
      const name = `${limit.name}:${limit.points}`;
      const limiter = limiters.get(name) ?? open(limit);
      limiters.set(name, limiter);
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter.consume(key).catch(refusal);
      return {
        allowed: consumedPoints <= limit.points,
        remaining: Math.max(0, remainingPoints),
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
      };
    },
    close: () => redis?.disconnect(),
  };
}

/** Connected before it is asked, or known to be away: a queue of requests that wait for it is no way to count. */
async function connectRedis(url: string, onFault: (error: unknown) => void): Promise<Redis> {
  const { Redis } = await import('ioredis');
  // A count that is lost with its connection is not asked for again: its request would wait for the next one.
  const options = { ...REDIS_OPTIONS, enableOfflineQueue: false, maxRetriesPerRequest: 0 };
  const redis = new Redis(url, options).on('error', onFault);
  // Each failure is told.
  await redis.connect().catch(() => {});
  return redis;
}

/** A limiter rejects with its count where too many came, and with an error where it cannot count. */
function refusal(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}
