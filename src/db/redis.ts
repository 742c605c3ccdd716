import type { Redis, RedisOptions } from 'ioredis';
import type { OnError } from './pub-sub.ts';

/** An unresponsive Redis times out after this time. ioredis then reconnects. */
const SOCKET_TIMEOUT_MS = 2_000;

/**
 * Opens a connection to Redis, and reports each failure to `onError`. If Redis cannot be reached, the connection is
 * returned anyway, because ioredis keeps trying to reconnect.
 */
export async function connectRedis(url: string, options: RedisOptions, onError: OnError): Promise<Redis> {
  // Loaded only if Redis is configured.
  const { Redis } = await import('ioredis');
  // Nobody awaits some commands. If they fail with the connection, the unhandled rejection would end the process.
  class SafeRedis extends Redis {
    override sendCommand(...args: Parameters<InstanceType<typeof Redis>['sendCommand']>) {
      args[0].promise.catch(() => {});
      return super.sendCommand(...args);
    }
  }
  const redis = new SafeRedis(url, { lazyConnect: true, socketTimeout: SOCKET_TIMEOUT_MS, ...options });
  redis.on('error', onError);
  await redis.connect().catch(() => {});
  return redis;
}
