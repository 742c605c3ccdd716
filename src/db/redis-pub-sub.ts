import { setTimeout } from 'node:timers/promises';
import type { OnError, PubSub } from './pub-sub.ts';
import { connectRedis } from './redis.ts';

/** Limit: time for an orderly close of the connection. */
const QUIT_MS = 1_000;

/** Publish/subscribe over Redis. */
export async function redisPubSub(url: string, onError: OnError): Promise<PubSub> {
  const { createRedisEventTarget } = await import('@graphql-yoga/redis-event-target');
  const [publishClient, subscribeClient] = await Promise.all([
    connectRedis(url, { maxRetriesPerRequest: null }, onError),
    // The ready check of a restarted Redis would throw on a connection that has already subscribed.
    connectRedis(url, { maxRetriesPerRequest: null, enableReadyCheck: false }, onError),
  ]);
  const target = createRedisEventTarget({ publishClient, subscribeClient });
  return {
    publish(topic) {
      // While Redis is away, queued notifications would fill the memory. Subscribers poll meanwhile.
      if (publishClient.status === 'ready') target.dispatchEvent(new CustomEvent(channelOf(topic), { detail: null }));
    },
    subscribe(topic, notify) {
      target.addEventListener(channelOf(topic), notify);
      return () => target.removeEventListener(channelOf(topic), notify);
    },
    async close() {
      // QUIT sends the last notifications first.
      await Promise.race([publishClient.quit().catch(() => {}), setTimeout(QUIT_MS, undefined, { ref: false })]);
      publishClient.disconnect();
      subscribeClient.disconnect();
    },
  };
}

/** Other applications may use the same Redis. */
function channelOf(topic: string): string {
  return `parley:${topic}`;
}
