import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { RedisOptions } from 'ioredis';
import type { DatabaseLocation } from './database.ts';
import { PostgresLive } from './postgres-live.ts';
import { REDIS_OPTIONS } from './redis-options.ts';
import { Wakes } from './wakes.ts';

/**
 * Wake-ups between whoever changes rows and whoever waits for them, in this process and in others. They carry a topic
 * and nothing else: who is woken reads the rows. One that is lost is healed by the listener's slow poll.
 */
export interface Live {
  /** Tells that the rows behind `topic` have changed. Call it after the commit. Never waits, never throws. */
  publish(topic: string): void;
  /** Calls `wake` at each publication, until the function that it answers is called. */
  listen(topic: string, wake: () => void): () => void;
  close(): Promise<void>;
}

/** What to tell when the carrier breaks; it mends itself. */
type OnFault = (error: unknown) => void;

/** Redis where it is configured, else LISTEN/NOTIFY, else this process alone. */
export async function openLive(
  location: DatabaseLocation,
  redisUrl: string | undefined,
  onFault: OnFault,
): Promise<Live> {
  if (redisUrl) return redisLive(redisUrl, onFault);
  return location.kind === 'postgresql' ? PostgresLive.open(location.url, onFault) : localLive();
}

/** Within one process. */
function localLive(): Live {
  const topics = new EventEmitter().setMaxListeners(0);
  return {
    publish: (topic) => void topics.emit(topic),
    listen(topic, wake) {
      topics.on(topic, wake);
      return () => topics.off(topic, wake);
    },
    close: async () => void topics.removeAllListeners(),
  };
}

/** Longest that an orderly goodbye to Redis may take. */
const QUIT_MS = 1_000;

async function redisLive(url: string, onFault: OnFault): Promise<Live> {
  // Only where Redis is configured are its clients loaded.
  const { createRedisEventTarget } = await import('@graphql-yoga/redis-event-target');
  const { Redis } = await import('ioredis');
  // Nobody waits for these commands: one that is lost with its connection would end the process.
  class Carrier extends Redis {
    override sendCommand(...given: Parameters<InstanceType<typeof Redis>['sendCommand']>) {
      given[0].promise.catch(() => {});
      return super.sendCommand(...given);
    }
  }
  const connect = (options: RedisOptions) =>
    new Carrier(url, { ...REDIS_OPTIONS, maxRetriesPerRequest: null, ...options }).on('error', onFault);
  const publishClient = connect({});
  // Its check whether a restarted Redis is ready can meet a connection that subscribes already, which would throw.
  const subscribeClient = connect({ enableReadyCheck: false });
  // Each failure is told.
  await Promise.all([publishClient, subscribeClient].map((client) => client.connect().catch(() => {})));
  const target = createRedisEventTarget({ publishClient, subscribeClient });
  return {
    publish(topic) {
      // Kept for a Redis that is away for hours, wake-ups would fill the memory; polls make up for them.
      if (publishClient.status === 'ready') target.dispatchEvent(new CustomEvent(named(topic), { detail: null }));
    },
    listen(topic, wake) {
      target.addEventListener(named(topic), wake);
      return () => target.removeEventListener(named(topic), wake);
    },
    async close() {
      // What was published last is still to be sent; where Redis is away it is lost, as ever.
      await Promise.race([publishClient.quit().catch(() => {}), setTimeout(QUIT_MS, undefined, { ref: false })]);
      publishClient.disconnect();
      subscribeClient.disconnect();
    },
  };
}

/** One Redis may serve others too. */
function named(topic: string): string {
  return `parley:${topic}`;
}

/**
 * The first answer of `ask` that is not undefined: asked at once, at each wake-up of `topic`, and from time to time in
 * case one was lost.
 */
export async function whenChanged<T>(live: Live, topic: string, ask: () => Promise<T | undefined>): Promise<T> {
  const wakes = new Wakes(live, topic);
  try {
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      await wakes.wait();
    }
  } finally {
    wakes.close();
  }
}
