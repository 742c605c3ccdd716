import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { graphText } from '../support/graph-content.ts';
import { killAll, LEASE_SECONDS } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { openStalls } from '../support/stall.ts';
import { until } from '../support/until.ts';

/** The statements of this file that wait for a lock. Other files have databases of their own on the same server. */
const BLOCKED = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

describe.skipIf(!POSTGRES_URL)('an Idempotency-Key among processes on one PostgreSQL', () => {
  let store: PostgresStore;
  beforeAll(async () => {
    store = await postgresStore();
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  const turn = (client: Client, key: string, text: string): Promise<HttpResponse> =>
    client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: textContent(text) },
      headers: { 'idempotency-key': key },
    });

  /** The response once no process is running the turn. */
  const settled = (client: Client, key: string, text: string) =>
    until(async () => {
      const response = await turn(client, key, text);
      return response.body.error?.code === 'request_in_progress' ? undefined : response;
    });

  async function rows(sql: string, values: unknown[] = []) {
    const pool = openPool(store.url, 1);
    try {
      return (await pool.query(sql, values)).rows;
    } finally {
      await pool.end();
    }
  }

  const conversationsNamed = async (name: string) =>
    (await rows('SELECT id FROM conversation WHERE name = $1', [name])).map(({ id }) => id as string);

  it('has one effect if twenty requests race at two processes', async () => {
    const pair = await startPair(store);
    for (let round = 0; round < 10; round += 1) {
      const [key, text] = [randomUUID(), `round ${round}`];
      const race = Array.from({ length: 20 }, (_, racer) => turn(pair[racer % 2] as Client, key, text));
      const responses = await Promise.all(race);
      const fresh = responses.filter(
        ({ status, headers }) => status === 200 && headers.get('idempotency-replayed') === null,
      );
      expect(fresh).toHaveLength(1);
      const last = await settled(pair[0], key, text);
      expect([last.body, last.headers.get('idempotency-replayed')]).toEqual([fresh[0]?.body, 'true']);
      expect(await conversationsNamed(text)).toEqual([last.body.conversation_id]);
    }
  });

  it('is replayed after a restart', async () => {
    const [key, text] = [randomUUID(), 'before the restart'];
    const first = await startOn(store);
    const { body } = await turn(first, key, text);
    await first.kill('SIGKILL');
    const repeated = await turn(await startOn(store), key, text);
    expect([repeated.body, repeated.headers.get('idempotency-replayed')]).toEqual([body, 'true']);
  });

  it('starts no second conversation if the process dies during the turn: the retry gets the outcome of the first', async () => {
    const [key, text] = [randomUUID(), '/slow 60'];
    const [first, second] = await startPair(store);
    const cut = turn(first, key, text).catch(() => 'cut');
    const [id] = await until(async () => {
      const ids = await conversationsNamed(text);
      return ids.length > 0 && ids;
    });
    await first.kill('SIGKILL');
    expect(await cut).toBe('cut');
    const results = await settled(second, key, text);
    expect(results).toMatchObject({ status: 502, body: { error: { code: 'model_error', conversation_id: id } } });
    expect(await conversationsNamed(text)).toEqual([id]);
  });

  it('restores the response if the process dies between the change and its storing', async () => {
    const [key, text] = [randomUUID(), 'not stored'];
    const [first, second] = await startPair(store);
    const { body } = await turn(first, key, text);
    // The state after the process has settled the turn and died.
    await rows(
      'UPDATE idempotency_record SET answer = NULL, lease_owner = gen_random_uuid(), lease_expires_at = now() WHERE key = $1',
      [key],
    );
    const repeated = await turn(second, key, text);
    const { request_id: _first, ...created } = body;
    expect(repeated).toMatchObject({ status: 200, body: created });
    expect(await conversationsNamed(text)).toEqual([body.conversation_id]);
  });

  it('restores the response if the connection of the settling statement was lost', async () => {
    const [key, text] = [randomUUID(), '/slow 1.5\n/say settled elsewhere'];
    const [first, second] = await startPair(store);
    const stalls = await openStalls(store.url);
    const unsure = turn(first, key, text);
    const [id = ''] = await until(async () => {
      const ids = await conversationsNamed('/slow 1.5');
      return ids.length > 0 && ids;
    });
    await stalls.hold([id], 'within');
    await stalls.waiting(1);
    await stalls.release('aborted');
    expect((await unsure).status).toBe(503);
    const results = await settled(second, key, text);
    expect(results).toMatchObject({ status: 502, body: { error: { code: 'model_error', conversation_id: id } } });
    await stalls.close();
  });

  it('waits at most one lease for a response that could not be stored, however busy its process is', async () => {
    const [key, text] = [randomUUID(), '/slow 1\n/say not kept'];
    const [first, second] = await startPair(store);
    const holder = openPool(store.url, 2);
    // The response's data of the conversation is stored by a separate statement after the turn is settled.
    const send = (client: Client) =>
      client.graphql(
        `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename ... on RunAgentTurnPayload { turn {
           ... on FinishedTurn { conversationId conversation { name } } } } ... on Error { code message path } } }`,
        { input: { deploymentId: DEMO_AGENT_ID, content: graphText(text) } },
        { headers: { 'idempotency-key': key } },
      );
    const unstored = send(first);
    await until(async () => (await conversationsNamed('/slow 1')).length > 0);
    const other = turn(first, randomUUID(), '/slow 8');
    const lock = await holder.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT 1 FROM idempotency_record WHERE key = $1 FOR UPDATE', [key]);
    const ended = () => holder.query(`SELECT pg_terminate_backend(pid) FROM ${BLOCKED} AND query ILIKE '%answer%'`);
    await until(async () => (await ended()).rows.length > 0);
    const { body } = await unstored;
    await lock.query('ROLLBACK');
    lock.release();
    const repeated = await until(
      async () => {
        const response = await send(second);
        return response.body.data?.runAgentTurn.turn && response;
      },
      { withinMs: busyMs(LEASE_SECONDS * 2_000) },
    );
    expect(repeated.body.data).toEqual(body.data);
    await holder.end();
    await other;
  });

  it('has one effect if its process stalls between the claim and the effect', async () => {
    const [key, text] = [randomUUID(), 'stalled'];
    const [first, second] = await startPair(store);
    const send = (client: Client) =>
      client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
        body: { content: textContent(text) },
        headers: { 'idempotency-key': key, prefer: 'respond-async' },
      });
    const holder = openPool(store.url, 2);
    const lock = await holder.connect();
    await lock.query('BEGIN');
    // A background turn locks its environment before its effect.
    await lock.query('SELECT 1 FROM environment FOR NO KEY UPDATE');
    const stale = send(first);
    await until(async () => (await holder.query(`SELECT pid FROM ${BLOCKED}`)).rows.length > 0);
    first.child.kill('SIGSTOP');
    await rows('UPDATE idempotency_record SET lease_expires_at = now() WHERE key = $1', [key]);
    const taken = send(second);
    await until(
      async () =>
        (await rows('SELECT lease_expires_at > now() AS taken FROM idempotency_record WHERE key = $1', [key]))[0]
          ?.taken,
    );
    first.child.kill('SIGCONT');
    await lock.query('ROLLBACK');
    lock.release();
    const { status, body } = await taken;
    expect([status, (await stale).status]).toEqual([202, 503]);
    expect(await conversationsNamed(text)).toEqual([body.conversation_id]);
    await holder.end();
  });

  it('restores the response of a trigger and of a resource too', async () => {
    const [first, second] = await startPair(store);
    for (const [path, body] of [
      [`/v1/runner/${DEMO_AGENT_ID}/trigger`, { content: textContent('Hi') }],
      ['/v1/resources', { type: 'note', fields: { a: 1 } }],
    ] as const) {
      const key = randomUUID();
      const send = (client: Client) => client.send('POST', path, { body, headers: { 'idempotency-key': key } });
      const created = await send(first);
      await rows('UPDATE idempotency_record SET answer = NULL, lease_expires_at = now() WHERE key = $1', [key]);
      const repeated = await send(second);
      expect([repeated.status, repeated.body]).toEqual([created.status, created.body]);
    }
    expect(await rows('SELECT id FROM trigger')).toHaveLength(1);
    expect(await rows('SELECT id FROM resource')).toHaveLength(1);
    expect(await rows("SELECT id FROM event WHERE type = 'resource.created'")).toHaveLength(1);
  });
});
