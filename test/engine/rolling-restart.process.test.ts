import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Balanced, startBalanced } from '../support/balancer.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { startLoad } from '../support/load.ts';
import { type PostgresPlace, postgres } from '../support/places.ts';
import { killAll } from '../support/process.ts';

/** As long as nginx leaves out a process that did not listen, and a little: by then it asks the new one. */
const REST_MS = 2_500;

describe.skipIf(!POSTGRES_URL)('processes behind nginx that are restarted one after another', () => {
  let home: PostgresPlace;
  let front: Balanced;
  beforeAll(async () => {
    home = await postgres();
    front = await startBalanced(home);
  });
  afterAll(async () => {
    await front?.close();
    await killAll();
    await home?.remove();
  });

  /** Ids of all items of a conversation, in the order in which they were written. */
  async function storedItems(id: string): Promise<string[]> {
    const pool = openPool(home.url, 1);
    const { rows } = await pool.query('SELECT id FROM timeline_item WHERE conversation_id = $1 ORDER BY id', [id]);
    await pool.end();
    return rows.map((row) => `item_${String(row.id).padStart(16, '0')}`);
  }

  it('fail no request, and their feeds go on at another one without gap or repeat', async () => {
    const load = await startLoad(front);
    for (const index of front.processes.keys()) {
      const before = load.answered;
      const leaving = front.processes[index];
      await front.restart(index);
      expect(leaving?.child.exitCode).toBe(0);
      await pause(REST_MS);
      expect(load.answered).toBeGreaterThan(before);
    }
    const feeds = await load.stop();
    expect(load.failures).toEqual([]);
    for (const { id, seen, opened } of feeds) {
      expect(opened).toBeGreaterThan(1);
      expect(seen).toEqual(await storedItems(id));
    }
  }, 180_000);
});
