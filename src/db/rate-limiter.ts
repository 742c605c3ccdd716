import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { BoundedCache } from '../cache/bounded-cache.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Database } from './database.ts';
import type { OnError } from './pub-sub.ts';
import { connectRedis } from './redis.ts';

/** Limit: `points` requests per `seconds`. Each name has its own counters. */
export interface RateLimit {
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

/** The state of a limit after one more request. */
export interface RateLimitResult {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Counts the requests of all processes of the service. */
export interface RateLimiter {
  consume(limit: RateLimit, key: string): Promise<RateLimitResult>;
  /** Removes one request from the count, because another limit counts it. Never fails. */
  refund(limit: RateLimit, key: string): Promise<void>;
  close(): void;
}

/**
 * Counts in Redis if it is configured, else in PostgreSQL, else in this process if the database is embedded. If the
 * store cannot be reached, each process counts on its own: a rate limit never makes the service unavailable.
 */
export async function openRateLimiter(
  { embedded, pool, name: database }: Pick<Database, 'embedded' | 'pool' | 'name'>,
  redisUrl: string | undefined,
  onError: OnError,
): Promise<RateLimiter> {
  // A command fails at once while Redis is away. If it were queued or retried, its request would have to wait.
  const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0 };
  const redis = redisUrl ? await connectRedis(redisUrl, options, onError) : undefined;
  const createLimiter = ({ name, seconds }: RateLimit): RateLimiterAbstract => {
    // Several databases may share one Redis.
    const keyPrefix = `parley:${database}:${name}`;
    const options = { keyPrefix, points: LIMITS.ratePerMinute, duration: seconds };
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
  const limiterOf = (limit: RateLimit) => {
    // One for each name of the code. The points can be configured, so each request compares them itself.
    const limiter = limiters.get(limit.name) ?? createLimiter(limit);
    limiters.set(limit.name, limiter);
    return limiter;
  };
  // When the window of a caller over a limit ends, by `performance.now()`. Until then it is refused without the store.
  const refusals = new BoundedCache<number>('refusals');
  return {
    async refund(limit, key) {
      refusals.delete(refusalKey(limit, key));
      // If this fails, the count is one too high until its window ends.
      await limiterOf(limit)
        .reward(key)
        .catch(() => {});
    },
    async consume(limit, key) {
      const id = refusalKey(limit, key);
      const endsAt = refusals.get(id) ?? 0;
      if (endsAt > performance.now()) return resultOf(limit, limit.points + 1, endsAt - performance.now());
      const { consumedPoints, msBeforeNext } = await limiterOf(limit).consume(key).catch(countOf);
      const result = resultOf(limit, consumedPoints, msBeforeNext);
      if (!result.allowed) refusals.set(id, performance.now() + msBeforeNext, NUMBER_BYTES);
      return result;
    },
    close: () => redis?.disconnect(),
  };
}

/** A limiter rejects with its result if the limit is exceeded, and with an error if it cannot count. */
function countOf(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}

const NUMBER_BYTES = 8;

/** The points can be configured. A higher limit applies at once. */
function refusalKey({ name, points }: RateLimit, key: string): string {
  return `${name} ${points} ${key}`;
}

function resultOf({ points }: RateLimit, consumed: number, msBeforeNext: number): RateLimitResult {
  return {
    allowed: consumed <= points,
    remaining: Math.max(0, points - consumed),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  };
}
