import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { text } from '../support/doors.ts';
import { type PostgresPlace, postgres, startAt, startPair } from '../support/places.ts';
import { killAll } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { openStalls } from '../support/stall.ts';
import { until } from '../support/until.ts';

afterEach(killAll);

describe.skipIf(!POSTGRES_URL)('WIRE 11: an Idempotency-Key among processes on one PostgreSQL', () => {
  let home: PostgresPlace;
  beforeAll(async () => {
    home = await postgres();
  });
  afterAll(() => home.remove());

  const turn = (client: Client, key: string, words: string): Promise<Answer> =>
    client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: text(words) },
      headers: { 'idempotency-key': key },
    });

  /** The answer once nobody is at work on it any longer. */
  const settled = (client: Client, key: string, words: string) =>
    until(async () => {
      const answer = await turn(client, key, words);
      return answer.body.error?.code === 'request_in_progress' ? undefined : answer;
    });

  async function rows(sql: string, values: unknown[] = []) {
    const pool = openPool(home.url, 1);
    try {
      return (await pool.query(sql, values)).rows;
    } finally {
      await pool.end();
    }
  }

  const conversationsNamed = async (name: string) =>
    (await rows('SELECT id FROM conversation WHERE name = $1', [name])).map(({ id }) => id as string);

  it('has one effect where twenty requests race at two processes', async () => {
    const pair = await startPair(home);
    for (let round = 0; round < 10; round += 1) {
      const [key, words] = [randomUUID(), `round ${round}`];
      const race = Array.from({ length: 20 }, (_, racer) => turn(pair[racer % 2] as Client, key, words));
      const answers = await Promise.all(race);
      const fresh = answers.filter(
        ({ status, headers }) => status === 200 && headers.get('idempotency-replayed') === null,
      );
      expect(fresh).toHaveLength(1);
      const last = await settled(pair[0], key, words);
      expect([last.body, last.headers.get('idempotency-replayed')]).toEqual([fresh[0]?.body, 'true']);
      expect(await conversationsNamed(words)).toEqual([last.body.conversation_id]);
    }
  });

  it('is replayed after a restart', async () => {
    const [key, words] = [randomUUID(), 'before the restart'];
    const first = await startAt(home);
    const { body } = await turn(first, key, words);
    await first.kill('SIGKILL');
    const again = await turn(await startAt(home), key, words);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([body, 'true']);
  });

  it('makes no second conversation where the process dies at work: the retry is told what became of the first', async () => {
    const [key, words] = [randomUUID(), '/slow 60'];
    const [first, second] = await startPair(home);
    const cut = turn(first, key, words).catch(() => 'cut');
    const [id] = await until(async () => {
      const ids = await conversationsNamed(words);
      return ids.length > 0 && ids;
    });
    await first.kill('SIGKILL');
    expect(await cut).toBe('cut');
    const told = await settled(second, key, words);
    expect(told).toMatchObject({ status: 502, body: { error: { code: 'model_error', conversation_id: id } } });
    expect(await conversationsNamed(words)).toEqual([id]);
  });

  it('finds the answer again where the process dies between the change and its keeping', async () => {
    const [key, words] = [randomUUID(), 'kept by nobody'];
    const [first, second] = await startPair(home);
    const { body } = await turn(first, key, words);
    // As the process leaves it that has settled the turn, and dies.
    await rows(
      'UPDATE idempotency_record SET answer = NULL, lease_owner = gen_random_uuid(), lease_expires_at = now() WHERE key = $1',
      [key],
    );
    const again = await turn(second, key, words);
    const { request_id: _first, ...made } = body;
    expect(again).toMatchObject({ status: 200, body: made });
    expect(await conversationsNamed(words)).toEqual([body.conversation_id]);
  });

  it('finds the answer again where the connection was lost that was to settle the turn', async () => {
    const [key, words] = [randomUUID(), '/slow 1.5\n/say settled by nobody'];
    const [first, second] = await startPair(home);
    const stalls = await openStalls(home.url);
    const unsure = turn(first, key, words);
    const [id = ''] = await until(async () => {
      const ids = await conversationsNamed('/slow 1.5 /say settled by nobody');
      return ids.length > 0 && ids;
    });
    await stalls.hold([id], 'within');
    await stalls.waiting(1);
    await stalls.release('torn');
    expect((await unsure).status).toBe(503);
    const told = await settled(second, key, words);
    expect(told).toMatchObject({ status: 502, body: { error: { code: 'model_error', conversation_id: id } } });
    await stalls.close();
  });

  it('waits no longer than a lease for an answer that could not be kept, however busy its process is', async () => {
    const [key, words] = [randomUUID(), '/slow 1\n/say not kept'];
    const [first, second] = await startPair(home);
    const holder = openPool(home.url, 2);
    const unkept = turn(first, key, words);
    await until(async () => (await conversationsNamed('/slow 1 /say not kept')).length > 0);
    const other = turn(first, randomUUID(), '/slow 14');
    const lock = await holder.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT 1 FROM idempotency_record WHERE key = $1 FOR UPDATE', [key]);
    const blocked = () =>
      holder.query("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%answer%'");
    await until(async () => (await blocked()).rows.length > 0);
    await holder.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0',
    );
    const { body } = await unkept;
    await lock.query('ROLLBACK');
    lock.release();
    const again = await until(
      async () => {
        const answer = await turn(second, key, words);
        return answer.status === 200 && answer;
      },
      { withinMs: 8_000 },
    );
    expect(again.body.conversation_id).toBe(body.conversation_id);
    await holder.end();
    await other;
  });

  it('finds a trigger and a resource again in the same way', async () => {
    const [first, second] = await startPair(home);
    for (const [path, body] of [
      [`/v1/runner/${DEMO_AGENT_ID}/trigger`, { content: text('Hi') }],
      ['/v1/resources', { type: 'note', fields: { a: 1 } }],
    ] as const) {
      const key = randomUUID();
      const send = (client: Client) => client.send('POST', path, { body, headers: { 'idempotency-key': key } });
      const made = await send(first);
      await rows('UPDATE idempotency_record SET answer = NULL, lease_expires_at = now() WHERE key = $1', [key]);
      const again = await send(second);
      expect([again.status, again.body]).toEqual([made.status, made.body]);
    }
    expect(await rows('SELECT id FROM trigger')).toHaveLength(1);
    expect(await rows('SELECT id FROM resource')).toHaveLength(1);
    expect(await rows("SELECT id FROM event WHERE type = 'resource.created'")).toHaveLength(1);
  });
});
