import type { DatabaseLocation } from './database.ts';
import { PostgresPubSub } from './postgres-pub-sub.ts';
import { localPubSub, type OnError, type PubSub } from './pub-sub.ts';
import { redisPubSub } from './redis-pub-sub.ts';

/** Uses Redis if it is configured, else PostgreSQL, else only this process. */
export async function openPubSub(
  location: DatabaseLocation,
  redisUrl: string | undefined,
  onError: OnError,
): Promise<PubSub> {
  if (redisUrl) return redisPubSub(redisUrl, onError);
  return location.kind === 'postgresql'
    ? PostgresPubSub.open(location.sessionUrl ?? location.url, onError)
    : localPubSub();
}
