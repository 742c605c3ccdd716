import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Live, openLive, whenChanged } from '../../src/db/live.ts';
import { createEmptyPostgres, POSTGRES_URL } from '../support/database.ts';

const REDIS_URL = process.env.TEST_REDIS_URL;

/** Two ends that could be two processes; within one process they are the same. */
interface Carrier {
  readonly name: string;
  readonly skip: boolean;
  open(): Promise<{ ends: [Live, Live]; close(): Promise<void> }>;
}

const faults: unknown[] = [];
const note = (fault: unknown) => void faults.push(fault);

const CARRIERS: Carrier[] = [
  {
    name: 'within one process',
    skip: false,
    async open() {
      const live = await openLive({ kind: 'memory' }, undefined, note);
      return { ends: [live, live], close: () => live.close() };
    },
  },
  {
    name: 'over LISTEN/NOTIFY',
    skip: !POSTGRES_URL,
    async open() {
      const { url, drop } = await createEmptyPostgres();
      const open = () => openLive({ kind: 'postgresql', url }, undefined, note);
      const ends: [Live, Live] = [await open(), await open()];
      return { ends, close: () => closeAll(ends).then(drop) };
    },
  },
  {
    name: 'over Redis',
    skip: !REDIS_URL,
    async open() {
      const open = () => openLive({ kind: 'memory' }, REDIS_URL, note);
      const ends: [Live, Live] = [await open(), await open()];
      return { ends, close: () => closeAll(ends) };
    },
  },
];

async function closeAll(ends: readonly Live[]): Promise<void> {
  await Promise.all(ends.map((end) => end.close()));
}

for (const { name, skip, open } of CARRIERS) {
  describe.skipIf(skip)(name, () => {
    let ends: [Live, Live];
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ ends, close } = await open());
    });
    afterAll(() => close());

    it('wakes who listens to the topic that is published, and nobody else', async () => {
      const [here, there] = ends;
      let others = 0;
      const stop = there.listen('conversation-b', () => {
        others += 1;
      });
      let changed = false;
      const seen = whenChanged(there, 'conversation-a', async () => changed || undefined);
      changed = true;
      here.publish('conversation-a');
      expect(await seen).toBe(true);
      expect(others).toBe(0);
      stop();
    });

    it('heals a wake-up that was lost by looking again', async () => {
      let looks = 0;
      await whenChanged(ends[1], 'never-published', async () => {
        looks += 1;
        return looks > 1 || undefined;
      });
      expect(looks).toBe(2);
    });
  });
}

describe.skipIf(!POSTGRES_URL)('a cut connection of LISTEN/NOTIFY', () => {
  it('comes back by itself, and wakes everybody for what was missed', async () => {
    const { url, drop } = await createEmptyPostgres();
    const live = await openLive({ kind: 'postgresql', url }, undefined, note);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const woken = new Promise<void>((resolve) => void live.listen('topic', resolve));
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await woken;
    await admin.end();
    await live.close();
    await drop();
  });
});
