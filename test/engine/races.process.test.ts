import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const RACERS = 8;

/** Conversations that race at the same time, and the rounds of each. */
const LANES = 8;
const ROUNDS = 4;

describe.skipIf(!POSTGRES_URL)('racing requests at two processes on one PostgreSQL', () => {
  let store: PostgresStore;
  let pair: [ServiceProcess, ServiceProcess];
  let database: pg.Pool;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, 4);
    pair = await startPair(store);
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });

  /** Sends one request for each racer, at once and distributed over both processes. */
  function race(send: (client: Client, racer: number) => Promise<HttpResponse>): Promise<HttpResponse[]> {
    return Promise.all(Array.from({ length: RACERS }, (_, racer) => send(pair[racer % 2] as Client, racer)));
  }

  /** Rounds in concurrent lanes, each with its own conversation. */
  async function inLanes(round: (conversationId: string, tag: string) => Promise<void>): Promise<string[]> {
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      const { body } = await (pair[lane % 2] as Client).agentTurn('Hello');
      for (let number = 0; number < ROUNDS; number += 1) await round(body.conversation_id, `${lane}-${number}`);
      return body.conversation_id as string;
    });
    return Promise.all(lanes);
  }

  /** The stored items of a run in order, the outcomes of its turns, and the number of processes that owned it. */
  async function traceOf(runId: string) {
    const items = await database.query(
      'SELECT kind, role, step, output FROM timeline_item WHERE run_id = $1 ORDER BY id',
      [runId],
    );
    const log = await database.query('SELECT outcome FROM workflow_log WHERE run_id = $1 ORDER BY id', [runId]);
    const run = await database.query('SELECT fence FROM run WHERE id = $1', [runId]);
    return { items: items.rows, outcomes: log.rows.map(({ outcome }) => outcome), owners: run.rows[0]?.fence };
  }

  /** The timeline of a tool turn that was resumed once. */
  function resumedOnce(output: object) {
    return {
      items: [
        { kind: 'message', role: 'user', step: 0, output: null },
        { kind: 'client_tool', role: null, step: 1, output },
        { kind: 'message', role: 'assistant', step: 2, output: null },
      ],
      outcomes: ['waiting_for_client_action', 'completed'],
      owners: 2,
    };
  }

  /** Runs of the conversation, in the order of its timeline. Two that were active at once would alternate. */
  async function runsInOrder(conversationId: string): Promise<string[]> {
    const { rows } = await database.query('SELECT run_id FROM timeline_item WHERE conversation_id = $1 ORDER BY id', [
      conversationId,
    ]);
    return rows.map(({ run_id }) => run_id).filter((id, index, ids) => id !== ids[index - 1]);
  }

  async function expectOneRunAtATime(conversationIds: readonly string[]): Promise<void> {
    for (const conversationId of conversationIds) {
      const runs = await runsInOrder(conversationId);
      expect(new Set(runs).size).toBe(runs.length);
    }
    const { rows } = await database.query(
      "SELECT id FROM run WHERE conversation_id = ANY ($1) AND status IN ('running', 'waiting_for_client_action')",
      [conversationIds],
    );
    expect(rows).toEqual([]);
  }

  it('executes eight racing resumes with the same results once, and gives each the same response', async () => {
    const conversations = await inLanes(async (conversationId, tag) => {
      const paused = await pauseTurn(pair[0], conversationId, `${lookup(tag)}\n/say done ${tag}`);
      const responses = await race((client) => resume(client, paused, { name: tag }));
      const bodies = responses.map(({ status, body }) => ({ ...body, request_id: null, status }));
      expect(bodies[0]).toMatchObject({ status: 200, run_status: 'completed', content: `done ${tag}` });
      expect(bodies).toEqual(bodies.map(() => bodies[0]));
      expect(await traceOf(paused.runId)).toEqual(resumedOnce({ name: tag }));
    });
    for (const conversationId of conversations) {
      expect((await readHistory(pair[1], conversationId)).items).toHaveLength(2 + 3 * ROUNDS);
    }
    await expectOneRunAtATime(conversations);
  });

  it('lets the first of eight racing resumes with different results win, and rejects the others with 409', async () => {
    await inLanes(async (conversationId, tag) => {
      const paused = await pauseTurn(pair[0], conversationId, `${lookup(tag)}\n/say done ${tag}`);
      const responses = await race((client, racer) => resume(client, paused, { racer }));
      const codes = responses.map(({ status, body }) => (status === 200 ? body.content : body.error.code)).sort();
      const lost = Array.from({ length: RACERS - 1 }, () => 'action_result_conflict');
      expect(codes).toEqual([...lost, `done ${tag}`]);
      const winner = responses.findIndex(({ status }) => status === 200);
      expect(await traceOf(paused.runId)).toEqual(resumedOnce({ racer: winner }));
    });
  });

  it('runs one of eight racing continues, and rejects the others with run_in_progress', async () => {
    const conversations = await inLanes(async (conversationId, tag) => {
      const responses = await race((client) =>
        client.agentTurn(`/slow 3\n/say done ${tag}`, { conversation_id: conversationId }),
      );
      const codes = responses.map(({ status, body }) => (status === 200 ? body.content : body.error.code)).sort();
      expect(codes).toEqual([`done ${tag}`, ...Array.from({ length: RACERS - 1 }, () => 'run_in_progress')]);
    });
    for (const conversationId of conversations) {
      expect((await readHistory(pair[1], conversationId)).items).toHaveLength(2 + 2 * ROUNDS);
    }
    await expectOneRunAtATime(conversations);
  });

  it('lets a resume win against racing continues, which get 409, and accepts the next turn after it', async () => {
    const conversations = await inLanes(async (conversationId, tag) => {
      const paused = await pauseTurn(pair[0], conversationId, `${lookup(tag)}\n/slow 2\n/say done ${tag}`);
      const resumer = tag.charCodeAt(tag.length - 1) % RACERS;
      const responses = await race((client, racer) =>
        racer === resumer
          ? resume(client, paused, { name: tag })
          : client.agentTurn('Me first', { conversation_id: conversationId }),
      );
      const [won] = responses.splice(resumer, 1);
      expect(won).toMatchObject({ status: 200, body: { run_status: 'completed', content: `done ${tag}` } });
      for (const { status, body } of responses) {
        expect(status).toBe(409);
        expect(['client_action_required', 'run_in_progress']).toContain(body.error.code);
      }
      expect(await traceOf(paused.runId)).toEqual(resumedOnce({ name: tag }));
      const next = await pair[1].agentTurn(`After ${tag}`, { conversation_id: conversationId });
      expect(next).toMatchObject({ status: 200, body: { content: `You said: After ${tag}` } });
    });
    await expectOneRunAtATime(conversations);
  });

  it('lets a retry at the other process wait for the running resume, and gives it the same response', async () => {
    await inLanes(async (conversationId, tag) => {
      const paused = await pauseTurn(pair[0], conversationId, `${lookup(tag)}\n/slow 2\n/say done ${tag}`);
      const first = resume(pair[0], paused, { name: tag });
      await until(async () => (await readHistory(pair[1], conversationId)).run_status === 'running');
      const retry = await resume(pair[1], paused, { name: tag });
      const { status, body } = await first;
      expect(status).toBe(200);
      expect(body).toMatchObject({ run_status: 'completed', content: `done ${tag}` });
      expect(retry.status).toBe(200);
      expect({ ...retry.body, request_id: null }).toEqual({ ...body, request_id: null });
      expect(await traceOf(paused.runId)).toEqual(resumedOnce({ name: tag }));
    });
  });
});
