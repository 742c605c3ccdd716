import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CAPABLE, lookup, type PausedTurn, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { openStream } from '../support/streams.ts';
import { until } from '../support/until.ts';

/** The state of a stopped process when it continues: its model still runs, has replied, or has called tools. */
const SCRIPTS = ['/slow 60\n/say ghost', '/slow 8\n/say ghost', `/slow 8\n/say ghost && ${lookup('ghost')}`];

describe.skipIf(!POSTGRES_URL)('a process that is stopped for longer than its lease', () => {
  let store: PostgresStore;
  let database: pg.Pool;
  let stopped: ServiceProcess;
  let other: ServiceProcess;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, 2);
  });
  beforeEach(async () => {
    [stopped, other] = await startPair(store);
  });
  // A test that fails leaves it stopped, with its connections.
  afterEach(() => stopped.child.kill('SIGCONT'));
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });

  async function start(): Promise<string> {
    const { body } = await stopped.agentTurn('Hello');
    return body.conversation_id;
  }

  function running(conversations: readonly string[]): Promise<boolean> {
    return Promise.all(conversations.map((id) => readHistory(other, id))).then((all) =>
      all.every(({ run_status }) => run_status === 'running'),
    );
  }

  /** All rows that the stopped process could write. */
  async function stored(conversations: readonly string[]) {
    const rows = async (table: string, key: string) => {
      const { rows } = await database.query(`SELECT * FROM ${table} WHERE ${key} = ANY ($1) ORDER BY id`, [
        conversations,
      ]);
      return rows;
    };
    return {
      conversations: await rows('conversation', 'id'),
      runs: await rows('run', 'conversation_id'),
      items: await rows('timeline_item', 'conversation_id'),
      log: await rows('workflow_log', 'conversation_id'),
    };
  }

  /** Stops the process until the other one has settled its runs. @returns the statuses */
  async function stopUntilSettled(conversations: readonly string[]): Promise<string[]> {
    stopped.child.kill('SIGSTOP');
    return until(
      async () => {
        const all = await Promise.all(conversations.map((id) => readHistory(other, id)));
        const statuses = all.map(({ run_status }) => run_status);
        return !statuses.includes('running') && statuses;
      },
      { withinMs: busyMs(RECOVERY_MS) },
    );
  }

  it('loses its runs to the other process, which fails them within 2.5 leases; its clients get 502, and it writes nothing more', async () => {
    const conversations = await Promise.all(SCRIPTS.map(start));
    const turns = conversations.map((conversation_id, index) =>
      stopped.agentTurn(SCRIPTS[index] ?? '', { conversation_id, ...CAPABLE }),
    );
    await until(() => running(conversations));
    expect(await stopUntilSettled(conversations)).toEqual(SCRIPTS.map(() => 'failed'));
    const [first = ''] = conversations;
    const next = await other.agentTurn('Still there?', { conversation_id: first });
    expect(next).toMatchObject({ status: 200, body: { content: 'You said: Still there?' } });
    const before = await stored(conversations);
    stopped.child.kill('SIGCONT');
    for (const [index, { status, body }] of (await Promise.all(turns)).entries()) {
      expect(status).toBe(502);
      expect(body.error).toMatchObject({ code: 'model_error', conversation_id: conversations[index] });
    }
    expect(await stored(conversations)).toEqual(before);
  });

  it('loses a resumed run, which the other process interrupts within 2.5 leases; its client gets 200 interrupted, and it writes nothing more', async () => {
    const paused = await Promise.all(
      SCRIPTS.map(async (script) => pauseTurn(stopped, await start(), `${lookup('one')}\n${script}`)),
    );
    const conversations = paused.map(({ conversationId }) => conversationId);
    const response = (client: ServiceProcess, call: PausedTurn) => resume(client, call, { name: 'Ada' });
    const turns = paused.map((call) => response(stopped, call));
    await until(() => running(conversations));
    expect(await stopUntilSettled(conversations)).toEqual(SCRIPTS.map(() => 'interrupted'));
    const before = await stored(conversations);
    stopped.child.kill('SIGCONT');
    for (const [index, { status, body }] of (await Promise.all(turns)).entries()) {
      const outcome = { run_status: 'interrupted', content: '', run_id: paused[index]?.runId };
      expect({ status, body }).toMatchObject({ status: 200, body: outcome });
    }
    for (const call of paused) {
      const retry = await response(other, call);
      expect(retry).toMatchObject({ status: 200, body: { run_status: 'interrupted', content: '' } });
    }
    expect(await stored(conversations)).toEqual(before);
  });

  it('keeps running if a client disconnects from a reply whose run another process settled', async () => {
    const stream = await openStream(stopped, { content: [{ type: 'text', text: '/stream 400' }] });
    const runId = stream.response.headers.get('x-run-id');
    await database.query(
      "UPDATE run SET status = 'failed', lease_owner = NULL, lease_expires_at = NULL WHERE id = $1",
      [runId],
    );
    await stream.take(3);
    await until(async () => (await stopped.send('GET', '/readyz')).status === 200);
    await pause(1_000);
    expect(stopped.child.exitCode).toBeNull();
    expect(await stopped.agentTurn('Still there?')).toMatchObject({ status: 200 });
  });

  it('keeps its runs when the clock of the database jumps forward', async () => {
    const conversation_id = await start();
    const turn = stopped.agentTurn('/slow 6\n/say done', { conversation_id });
    await until(() => running([conversation_id]));
    // A jump by an hour expires every lease at once. The other process looks for expired leases twice a second.
    for (let jump = 0; jump < 6; jump += 1) {
      await database.query("UPDATE run SET lease_expires_at = now() - interval '1 hour' WHERE status = 'running'");
      await until(async () => {
        const { rows } = await database.query(
          "SELECT 1 FROM run WHERE status = 'running' AND lease_expires_at < now()",
        );
        return rows.length === 0;
      });
    }
    expect(await turn).toMatchObject({ status: 200, body: { content: 'done', run_status: 'completed' } });
  });

  it('loses its run within 2.5 leases after it was killed, even when the clock of the database was set back', async () => {
    const conversation_id = await start();
    const turn = stopped.agentTurn('/slow 60', { conversation_id }).catch(() => 'cut');
    await until(() => running([conversation_id]));
    await stopped.kill('SIGKILL');
    expect(await turn).toBe('cut');
    await database.query("UPDATE run SET lease_expires_at = now() + interval '1 hour' WHERE status = 'running'");
    await until(async () => (await readHistory(other, conversation_id)).run_status === 'failed', {
      withinMs: busyMs(RECOVERY_MS),
    });
  });

  it('keeps its other runs while another session locks the row of one of them', async () => {
    const conversations = await Promise.all([start(), start()]);
    const turns = conversations.map((conversation_id) => stopped.agentTurn('/slow 4\n/say done', { conversation_id }));
    await until(() => running(conversations));
    const holder = await database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM run WHERE conversation_id = $1 FOR UPDATE', [conversations[0]]);
    expect(await turns[1]).toMatchObject({ status: 200, body: { content: 'done' } });
    await holder.query('ROLLBACK');
    holder.release();
    await Promise.all(turns);
  });
});
