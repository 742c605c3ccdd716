import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { text } from '../support/doors.ts';
import { type PostgresPlace, postgres, startPair } from '../support/places.ts';
import { killAll } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { until } from '../support/until.ts';

afterEach(killAll);

describe.skipIf(!POSTGRES_URL)('messages that come while a turn is running, at two processes', () => {
  let home: PostgresPlace;
  let database: pg.Pool;
  beforeAll(async () => {
    home = await postgres();
    database = openPool(home.url, 2);
  });
  afterAll(async () => {
    await database.end();
    await home.remove();
  });

  const setPolicy = (policy: string) =>
    database.query('UPDATE deployment SET double_text_policy = $1::double_text_policy WHERE id = $2', [
      policy,
      DEMO_AGENT_ID,
    ]);

  const talk = (client: Client, words: string, conversation_id: string, headers = {}): Promise<Answer> =>
    client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: text(words), conversation_id },
      headers,
    });

  const reaches = (conversationId: string, where: 'running' | 'queued', count = 1) =>
    until(async () => {
      const { rows } = await database.query(
        where === 'running'
          ? "SELECT count(*)::int AS n FROM run WHERE conversation_id = $1 AND status = 'running'"
          : 'SELECT count(*)::int AS n FROM queued_turn WHERE conversation_id = $1',
        [conversationId],
      );
      return rows[0].n === count;
    });

  /** The user's messages and the assistant's, in order, and the outcome of each run that has one. */
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

  it('are answered in the order in which they came to either process', async () => {
    await setPolicy('enqueue');
    const [one, other] = await startPair(home);
    const { conversation_id } = (await one.agentTurn('Hello')).body;
    const answers = [talk(one, '/slow 6\n/say 0', conversation_id)];
    await reaches(conversation_id, 'running');
    for (let number = 1; number <= 8; number += 1) {
      answers.push(talk(number % 2 ? other : one, `/say ${number}`, conversation_id));
      await reaches(conversation_id, 'queued', number);
    }
    const told = (await Promise.all(answers)).map(({ body }) => body.content);
    expect(told).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
    expect((await stored(conversation_id)).texts.slice(2).filter((_, index) => index % 2 === 1)).toEqual(told);
  });

  it('interrupt a turn that the other process is at work on', async () => {
    await setPolicy('interrupt');
    const [one, other] = await startPair(home);
    const { conversation_id } = (await one.agentTurn('Hello')).body;
    for (let round = 0; round < 5; round += 1) {
      const stopped = talk(one, '/slow 60', conversation_id);
      await reaches(conversation_id, 'running');
      expect(await talk(other, 'Instead', conversation_id)).toMatchObject({ status: 200 });
      expect((await stopped).body.run_status).toBe('interrupted');
    }
  });

  it('are each stored once where twenty race with interruptions, and the last one is answered', async () => {
    await setPolicy('interrupt');
    const pair = await startPair(home);
    const { conversation_id } = (await pair[0].agentTurn('Hello')).body;
    const words = Array.from({ length: 20 }, (_, number) => `message ${number}`);
    const answers = await Promise.all(
      words.map((message, index) => talk(pair[index % 2] as Client, message, conversation_id)),
    );
    const kept = words.filter((_, index) => answers[index]?.status === 200);
    expect(answers.every(({ status, body }) => status === 200 || body.error.code === 'run_in_progress')).toBe(true);
    const { texts, runs } = await stored(conversation_id);
    expect(texts.filter((said) => said.startsWith('message')).sort()).toEqual(kept.sort());
    expect(runs.filter(({ status }) => status !== 'completed' && status !== 'interrupted')).toEqual([]);
    expect(runs.at(-1).status).toBe('completed');
  });

  it('are kept with a failed run where the process dies that they wait in, and told so to a retry', async () => {
    await setPolicy('enqueue');
    const [doomed, other] = await startPair(home);
    const { conversation_id } = (await other.agentTurn('Hello')).body;
    const key = { 'idempotency-key': randomUUID() };
    const slow = talk(other, '/slow 9\n/say slow', conversation_id);
    await reaches(conversation_id, 'running');
    const cut = talk(doomed, 'Lost?', conversation_id, key).catch(() => 'cut');
    await reaches(conversation_id, 'queued');
    const behind = talk(other, 'Behind it', conversation_id);
    await reaches(conversation_id, 'queued', 2);
    await doomed.kill('SIGKILL');
    expect(await cut).toBe('cut');
    expect((await slow).body.content).toBe('slow');
    expect((await behind).body.content).toBe('You said: Behind it');
    const told = await until(async () => {
      const answer = await talk(other, 'Lost?', conversation_id, key);
      return answer.body.error?.code === 'request_in_progress' ? undefined : answer;
    });
    expect(told).toMatchObject({ status: 502, body: { error: { code: 'model_error', conversation_id } } });
    const { texts, runs } = await stored(conversation_id);
    expect(texts.filter((said) => said === 'Lost?')).toHaveLength(1);
    expect(runs).toContainEqual({ status: 'failed', error_code: 'process_lost' });
    expect(texts.at(-1)).toBe('You said: Behind it');
  });

  it('keep their order where only some of them wait in a process that dies', async () => {
    await setPolicy('enqueue');
    const [doomed, other] = await startPair(home);
    const { conversation_id } = (await other.agentTurn('Hello')).body;
    const ends: Promise<unknown>[] = [talk(other, '/slow 9\n/say slow', conversation_id)];
    await reaches(conversation_id, 'running');
    const words = ['One', 'Two', 'Three', 'Four'];
    for (const [index, word] of words.entries()) {
      const answer = talk(index % 2 ? other : doomed, word, conversation_id);
      ends.push(answer.catch(() => 'cut'));
      await reaches(conversation_id, 'queued', index + 1);
    }
    await doomed.kill('SIGKILL');
    await Promise.all(ends);
    await reaches(conversation_id, 'queued', 0);
    const { texts } = await stored(conversation_id);
    expect(texts.filter((said) => words.includes(said))).toEqual(words);
  });

  it('are told 503 where their process shuts down before their turn comes, and leave nothing behind', async () => {
    await setPolicy('enqueue');
    const [leaving, other] = await startPair(home);
    const { conversation_id } = (await other.agentTurn('Hello')).body;
    const slow = talk(other, '/slow 4', conversation_id);
    await reaches(conversation_id, 'running');
    const refused = talk(leaving, 'Too late', conversation_id);
    await reaches(conversation_id, 'queued');
    const gone = leaving.kill('SIGTERM');
    expect(await refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    await gone;
    expect((await slow).status).toBe(200);
    expect((await stored(conversation_id)).texts).not.toContain('Too late');
  });
});
