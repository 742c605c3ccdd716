import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CAPABLE, lookup, type Paused, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startPair } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { openStream } from '../support/streams.ts';
import { until } from '../support/until.ts';

/** What a process that was stopped meanwhile goes on with: its model still works, has answered, or has called tools. */
const GHOSTS = ['/slow 60\n/say ghost', '/slow 3\n/say ghost', `/slow 3\n/say ghost && ${lookup('ghost')}`];

describe.skipIf(!POSTGRES_URL)('a process that stands still for longer than its lease', () => {
  let home: PostgresPlace;
  let database: pg.Pool;
  let still: ServiceProcess;
  let other: ServiceProcess;
  beforeAll(async () => {
    home = await postgres();
    database = openPool(home.url, 2);
  });
  beforeEach(async () => {
    [still, other] = await startPair(home);
  });
  afterEach(killAll);
  afterAll(async () => {
    await database.end();
    await home.remove();
  });

  async function start(): Promise<string> {
    const { body } = await still.agentTurn('Hello');
    return body.conversation_id;
  }

  function running(conversations: readonly string[]): Promise<boolean> {
    return Promise.all(conversations.map((id) => readHistory(other, id))).then((all) =>
      all.every(({ run_status }) => run_status === 'running'),
    );
  }

  /** Everything that a ghost could write to. */
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

  /** Stops the process until the other one has settled its runs. @returns how it settled them */
  async function standStill(conversations: readonly string[]): Promise<string[]> {
    still.child.kill('SIGSTOP');
    return until(
      async () => {
        const all = await Promise.all(conversations.map((id) => readHistory(other, id)));
        const statuses = all.map(({ run_status }) => run_status);
        return !statuses.includes('running') && statuses;
      },
      { withinMs: 10_000 },
    );
  }

  it('loses its runs to the other process, which fails them within 10 s; its clients get 502, and it writes nothing more', async () => {
    const conversations = await Promise.all(GHOSTS.map(start));
    const turns = conversations.map((conversation_id, index) =>
      still.agentTurn(GHOSTS[index] ?? '', { conversation_id, ...CAPABLE }),
    );
    await until(() => running(conversations));
    expect(await standStill(conversations)).toEqual(GHOSTS.map(() => 'failed'));
    const [first = ''] = conversations;
    const next = await other.agentTurn('Still there?', { conversation_id: first });
    expect(next).toMatchObject({ status: 200, body: { content: 'You said: Still there?' } });
    const before = await stored(conversations);
    still.child.kill('SIGCONT');
    for (const [index, { status, body }] of (await Promise.all(turns)).entries()) {
      expect(status).toBe(502);
      expect(body.error).toMatchObject({ code: 'model_error', conversation_id: conversations[index] });
    }
    expect(await stored(conversations)).toEqual(before);
  });

  it('loses a resumed run, which the other process interrupts within 10 s; its client gets 200 interrupted, and it writes nothing more', async () => {
    const paused = await Promise.all(
      GHOSTS.map(async (script) => pauseTurn(still, await start(), `${lookup('one')}\n${script}`)),
    );
    const conversations = paused.map(({ conversationId }) => conversationId);
    const answer = (client: ServiceProcess, call: Paused) => resume(client, call, { name: 'Ada' });
    const turns = paused.map((call) => answer(still, call));
    await until(() => running(conversations));
    expect(await standStill(conversations)).toEqual(GHOSTS.map(() => 'interrupted'));
    const before = await stored(conversations);
    still.child.kill('SIGCONT');
    for (const [index, { status, body }] of (await Promise.all(turns)).entries()) {
      const outcome = { run_status: 'interrupted', content: '', run_id: paused[index]?.runId };
      expect({ status, body }).toMatchObject({ status: 200, body: outcome });
    }
    for (const call of paused) {
      const retry = await answer(other, call);
      expect(retry).toMatchObject({ status: 200, body: { run_status: 'interrupted', content: '' } });
    }
    expect(await stored(conversations)).toEqual(before);
  });

  it('stays up where the reader of a reply leaves whose run another process has settled', async () => {
    const stream = await openStream(still, { content: [{ type: 'text', text: '/stream 400' }] });
    const runId = stream.response.headers.get('x-run-id');
    await database.query("UPDATE run SET status = 'failed', lease_owner = NULL WHERE id = $1", [runId]);
    await stream.take(3);
    await until(async () => (await still.send('GET', '/readyz')).status === 200);
    await pause(1_000);
    expect(still.child.exitCode).toBeNull();
    expect(await still.agentTurn('Still there?')).toMatchObject({ status: 200 });
  });

  it('keeps its other runs while the row of one of them is held by somebody else', async () => {
    const conversations = await Promise.all([start(), start()]);
    const turns = conversations.map((conversation_id) => still.agentTurn('/slow 8\n/say done', { conversation_id }));
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
