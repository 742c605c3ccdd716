import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type OwnedStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { insertDeadTurns } from '../support/dead-turns.ts';
import { busyMs } from '../support/event-loop.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { until } from '../support/until.ts';

const TURNS = 10;

describe.skipIf(!POSTGRES_URL)('a process that is killed after it found work in several environments', () => {
  let store: OwnedStore;
  let database: pg.Pool;
  let killed: ServiceProcess;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, 3);
    [killed] = await startPair(store);
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });

  const count = async (text: string): Promise<number> => {
    const { rows } = await database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${text}`);
    return rows[0]?.count ?? 0;
  };

  /** Half of the dead turns are in each environment. */
  async function leaveTurns(): Promise<void> {
    for (const key of [store.key, store.testKey]) {
      const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
      const { body } = await killed.send('POST', path, { key, body: { content: textContent('Hello') } });
      const turns = { conversationId: body.conversation_id, count: TURNS / 2, leaseSeconds: 3_600 };
      await insertDeadTurns((text, values) => database.query(text, [...values]), turns);
    }
  }

  it('loses nothing: another process changes all rows once', async () => {
    await leaveTurns();
    const holder = await database.connect();
    await holder.query('BEGIN');
    // A claim of queued runs locks its environment first, so both processes wait between the finder and the claim.
    await holder.query('SELECT 1 FROM environment FOR UPDATE');
    await database.query(`UPDATE run SET lease_expires_at = to_timestamp(0) WHERE request_id = 'dead'`);
    const waiting = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query LIKE '%FROM environment%FOR NO KEY UPDATE%'`;
    await until(async () => (await count(waiting)) === 2);
    await killed.kill('SIGKILL');
    await holder.query('ROLLBACK');
    holder.release();
    await until(async () => (await count("run WHERE request_id = 'dead' AND status = 'completed'")) === TURNS, {
      withinMs: busyMs(2 * RECOVERY_MS),
    });
    expect(await count("run WHERE request_id = 'dead' AND attempts_left = 1")).toBe(TURNS);
    expect(await count(`(SELECT FROM run WHERE request_id = 'dead' GROUP BY environment_id) AS environments`)).toBe(2);
    const replies = `timeline_item i JOIN run r ON r.id = i.run_id WHERE r.request_id = 'dead' AND i.role = 'assistant'`;
    expect(await count(replies)).toBe(TURNS);
  });
});
