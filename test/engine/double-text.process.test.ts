import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { until } from '../support/until.ts';

describe.skipIf(!POSTGRES_URL)('messages during a running turn, at two processes', () => {
  let store: PostgresStore;
  let database: pg.Pool;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, 2);
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });

  const setPolicy = (policy: string) =>
    database.query('UPDATE deployment SET double_text_policy = $1::double_text_policy WHERE id = $2', [
      policy,
      DEMO_AGENT_ID,
    ]);

  const sendTurn = (client: Client, text: string, conversation_id: string, headers = {}): Promise<HttpResponse> =>
    client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: textContent(text), conversation_id },
      headers,
    });

  const waitUntil = (conversationId: string, where: 'running' | 'queued', count = 1) =>
    until(async () => {
      const { rows } = await database.query(
        where === 'running'
          ? "SELECT count(*)::int AS n FROM run WHERE conversation_id = $1 AND status = 'running'"
          : 'SELECT count(*)::int AS n FROM queued_turn WHERE conversation_id = $1',
        [conversationId],
      );
      return rows[0].n === count;
    });

  /** The messages of user and assistant in order, and the outcome of each run. */
  async function stored(conversationId: string) {
    const items = await database.query(
      "SELECT content->0->>'text' AS text FROM timeline_item WHERE conversation_id = $1 AND kind = 'message' ORDER BY id",
      [conversationId],
    );
    const runs = await database.query(
      'SELECT status::text, error_code FROM run WHERE conversation_id = $1 ORDER BY created_at',
      [conversationId],
    );
    return { texts: items.rows.map((row) => row.text), runs: runs.rows };
  }

  it('get responses in the order in which they reached either process', async () => {
    await setPolicy('enqueue');
    const [one, other] = await startPair(store);
    const { conversation_id } = (await one.agentTurn('Hello')).body;
    const responses = [sendTurn(one, '/slow 10\n/say 0', conversation_id)];
    await waitUntil(conversation_id, 'running');
    for (let number = 1; number <= 8; number += 1) {
      responses.push(sendTurn(number % 2 ? other : one, `/say ${number}`, conversation_id));
      await waitUntil(conversation_id, 'queued', number);
    }
    const results = (await Promise.all(responses)).map(({ body }) => body.content);
    expect(results).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
    expect((await stored(conversation_id)).texts.slice(2).filter((_, index) => index % 2 === 1)).toEqual(results);
  });

  it('interrupt a turn of the other process', async () => {
    await setPolicy('interrupt');
    const [one, other] = await startPair(store);
    const { conversation_id } = (await one.agentTurn('Hello')).body;
    for (let round = 0; round < 5; round += 1) {
      const stopped = sendTurn(one, '/slow 60', conversation_id);
      await waitUntil(conversation_id, 'running');
      expect(await sendTurn(other, 'Instead', conversation_id)).toMatchObject({ status: 200 });
      expect((await stopped).body.run_status).toBe('interrupted');
    }
  });

  it('are each stored once when twenty race with interruptions, and the last one gets a response', async () => {
    await setPolicy('interrupt');
    const pair = await startPair(store);
    const { conversation_id } = (await pair[0].agentTurn('Hello')).body;
    const text = Array.from({ length: 20 }, (_, number) => `message ${number}`);
    const responses = await Promise.all(
      text.map((message, index) => sendTurn(pair[index % 2] as Client, message, conversation_id)),
    );
    const saved = text.filter((_, index) => responses[index]?.status === 200);
    expect(responses.every(({ status, body }) => status === 200 || body.error.code === 'run_in_progress')).toBe(true);
    const { texts, runs } = await stored(conversation_id);
    expect(texts.filter((item) => item.startsWith('message')).sort()).toEqual(saved.sort());
    expect(runs.filter(({ status }) => status !== 'completed' && status !== 'interrupted')).toEqual([]);
    expect(runs.at(-1).status).toBe('completed');
  });

  it('are stored with a failed run if their process dies, and a retry gets that error', async () => {
    await setPolicy('enqueue');
    const [dying, other] = await startPair(store);
    const { conversation_id } = (await other.agentTurn('Hello')).body;
    const key = { 'idempotency-key': randomUUID() };
    const slow = sendTurn(other, '/slow 5\n/say slow', conversation_id);
    await waitUntil(conversation_id, 'running');
    const cut = sendTurn(dying, 'Lost?', conversation_id, key).catch(() => 'cut');
    await waitUntil(conversation_id, 'queued');
    const following = sendTurn(other, 'After it', conversation_id);
    await waitUntil(conversation_id, 'queued', 2);
    await dying.kill('SIGKILL');
    expect(await cut).toBe('cut');
    expect((await slow).body.content).toBe('slow');
    expect((await following).body.content).toBe('You said: After it');
    const results = await until(async () => {
      const response = await sendTurn(other, 'Lost?', conversation_id, key);
      return response.body.error?.code === 'request_in_progress' ? undefined : response;
    });
    expect(results).toMatchObject({ status: 502, body: { error: { code: 'model_error', conversation_id } } });
    const { texts, runs } = await stored(conversation_id);
    expect(texts.filter((item) => item === 'Lost?')).toHaveLength(1);
    expect(runs).toContainEqual({ status: 'failed', error_code: 'process_lost' });
    expect(texts.at(-1)).toBe('You said: After it');
  });

  it('keep their order if some of them are queued in a process that dies', async () => {
    await setPolicy('enqueue');
    const [dying, other] = await startPair(store);
    const { conversation_id } = (await other.agentTurn('Hello')).body;
    const ends: Promise<unknown>[] = [sendTurn(other, '/slow 5\n/say slow', conversation_id)];
    await waitUntil(conversation_id, 'running');
    const text = ['One', 'Two', 'Three', 'Four'];
    for (const [index, word] of text.entries()) {
      const response = sendTurn(index % 2 ? other : dying, word, conversation_id);
      ends.push(response.catch(() => 'cut'));
      await waitUntil(conversation_id, 'queued', index + 1);
    }
    await dying.kill('SIGKILL');
    await Promise.all(ends);
    await waitUntil(conversation_id, 'queued', 0);
    const { texts } = await stored(conversation_id);
    expect(texts.filter((item) => text.includes(item))).toEqual(text);
  });

  it('get 503 if their process shuts down before their turn, and leave nothing stored', async () => {
    await setPolicy('enqueue');
    const [leaving, other] = await startPair(store);
    const { conversation_id } = (await other.agentTurn('Hello')).body;
    const slow = sendTurn(other, '/slow 4', conversation_id);
    await waitUntil(conversation_id, 'running');
    const rejected = sendTurn(leaving, 'Too late', conversation_id);
    await waitUntil(conversation_id, 'queued');
    const controller = leaving.kill('SIGTERM');
    expect(await rejected).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    await controller;
    expect((await slow).status).toBe(200);
    expect((await stored(conversation_id)).texts).not.toContain('Too late');
  });
});
