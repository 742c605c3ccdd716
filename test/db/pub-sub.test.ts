import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPubSub } from '../../src/db/open-pub-sub.ts';
import type { PubSub } from '../../src/db/pub-sub.ts';
import { TopicSubscription, waitForResult } from '../../src/db/topic-subscription.ts';
import { createEmptyPostgres, POSTGRES_URL } from '../support/database.ts';

const NEVER = new AbortController().signal;

const REDIS_URL = process.env.TEST_REDIS_URL;

/** Two ends that could be in two processes. Within one process they are the same object. */
interface Transport {
  readonly name: string;
  readonly skip: boolean;
  open(): Promise<{ ends: [PubSub, PubSub]; close(): Promise<void> }>;
}

const errors: unknown[] = [];
const collectError = (error: unknown) => void errors.push(error);

const TRANSPORTS: Transport[] = [
  {
    name: 'within one process',
    skip: false,
    async open() {
      const pubSub = await openPubSub({ kind: 'memory' }, undefined, collectError);
      return { ends: [pubSub, pubSub], close: () => pubSub.close() };
    },
  },
  {
    name: 'over LISTEN/NOTIFY',
    skip: !POSTGRES_URL,
    async open() {
      const { url, drop } = await createEmptyPostgres();
      const open = () => openPubSub({ kind: 'postgresql', url }, undefined, collectError);
      const ends: [PubSub, PubSub] = [await open(), await open()];
      return { ends, close: () => closeAll(ends).then(drop) };
    },
  },
  {
    name: 'over Redis',
    skip: !REDIS_URL,
    async open() {
      const open = () => openPubSub({ kind: 'memory' }, REDIS_URL, collectError);
      const ends: [PubSub, PubSub] = [await open(), await open()];
      return { ends, close: () => closeAll(ends) };
    },
  },
];

async function closeAll(ends: readonly PubSub[]): Promise<void> {
  await Promise.all(ends.map((end) => end.close()));
}

for (const { name, skip, open } of TRANSPORTS) {
  describe.skipIf(skip)(name, () => {
    let ends: [PubSub, PubSub];
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ ends, close } = await open());
    });
    afterAll(() => close());

    it('notifies only the subscribers of the published topic', async () => {
      const [here, there] = ends;
      let others = 0;
      const unsubscribe = there.subscribe('conversation-b', () => {
        others += 1;
      });
      let changed = false;
      const result = waitForResult(
        { pubSub: there, stopped: NEVER },
        'conversation-a',
        async () => changed || undefined,
      );
      changed = true;
      here.publish('conversation-a');
      expect(await result).toBe(true);
      expect(others).toBe(0);
      unsubscribe();
    });

    it('reads again after a time limit, in case a notification is lost', async () => {
      let reads = 0;
      await waitForResult({ pubSub: ends[1], stopped: NEVER }, 'never-published', async () => {
        reads += 1;
        return reads > 1 || undefined;
      });
      expect(reads).toBe(2);
    });
  });
}

describe.skipIf(!POSTGRES_URL)('a lost connection of LISTEN/NOTIFY', () => {
  it('is replaced automatically, and every subscriber is notified', async () => {
    const { url, drop } = await createEmptyPostgres();
    const pubSub = await openPubSub({ kind: 'postgresql', url }, undefined, collectError);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const notified = new Promise<void>((resolve) => void pubSub.subscribe('topic', resolve));
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await notified;
    await admin.end();
    await pubSub.close();
    await drop();
  });
});

it('a wait for a notification ends after a second without one', async () => {
  const subscription = new TopicSubscription({ subscribe: () => () => {} }, 'topic');
  const started = performance.now();
  await subscription.wait(60_000);
  const seconds = (performance.now() - started) / 1_000;
  // Far less than the minute, also on a busy machine.
  expect([seconds > 0.9, seconds < 30]).toEqual([true, true]);
  subscription.close();
});
