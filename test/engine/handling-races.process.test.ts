import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import {
  act,
  handlingOf,
  linesOf,
  messagesOf,
  openMember,
  repeated,
  settled,
  words,
} from '../support/handled-conversations.ts';
import { killAll } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { openStream } from '../support/streams.ts';
import { until } from '../support/until.ts';

const POLICIES = ['reject', 'enqueue', 'interrupt'] as const;

/** The users who write at the same time, and the messages of each. */
const WRITERS = 6;
const MESSAGES = 5;

/** How often a member takes the conversation and hands it back meanwhile. */
const HAND_OVERS = 5;

describe.skipIf(!POSTGRES_URL)('hand-overs at two processes', () => {
  let store: PostgresStore;
  let database: pg.Pool;
  let anna: string;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, 4);
    anna = await openMember(database, 'Anna');
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

  const say = (
    client: Client,
    id: string,
    text: string,
    { version = 'v2', headers = {} } = {},
  ): Promise<HttpResponse> =>
    client.send('POST', `/${version}/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { ...words(text), conversation_id: id },
      headers,
    });

  const count = async (sql: string, id: string): Promise<number> => (await database.query(sql, [id])).rows.length;

  const running = (id: string) =>
    until(async () => (await count("SELECT FROM run WHERE conversation_id = $1 AND status = 'running'", id)) === 1);

  const queued = (id: string, number: number) =>
    until(async () => (await count('SELECT FROM queued_turn WHERE conversation_id = $1', id)) === number);

  const takeOver = (client: Client, id: string, body: object = {}) =>
    act(client, id, 'takeover', { token: anna, body });

  const handBack = (client: Client, id: string) => act(client, id, 'handback', { token: anna });

  const write = (client: Client, id: string, text: string) =>
    act(client, id, 'member-messages', { token: anna, body: words(text) });

  const newTalk = async (client: Client): Promise<string> => (await client.agentTurn('Hello')).body.conversation_id;

  it('let exactly one of 20 members who race have the conversation, and name that member to the others', async () => {
    const pair = await startPair(store);
    const names = Array.from({ length: 20 }, (_, number) => `Member ${number}`);
    const tokens = await Promise.all(names.map((name) => openMember(database, name)));
    for (let round = 0; round < 3; round += 1) {
      const id = await newTalk(pair[0]);
      const responses = await Promise.all(
        tokens.map((token, number) => act(pair[number % 2] as Client, id, 'takeover', { token })),
      );
      const winners = names.filter((_, number) => responses[number]?.status === 200);
      expect(winners).toHaveLength(1);
      for (const { body } of responses.filter(({ status }) => status !== 200)) {
        expect(body.error).toMatchObject({
          code: 'handling_conflict',
          handling: 'member',
          author: { display_name: winners[0], kind: 'member' },
        });
      }
      expect(await handlingOf(database, id)).toMatchObject({ handling: 'member', changes: ['member person'] });
    }
  });

  it('keep the text of a stopped turn before the first message of the member', async () => {
    const [one, other] = await startPair(store);
    const id = await newTalk(one);
    const text = Array.from({ length: 400 }, (_, number) => `word${number}`).join(' ');
    const body = { ...words(`/say ${text}`), conversation_id: id };
    const { response } = await openStream(one, body, { deploymentId: DEMO_AGENT_ID });
    const reader = response.body?.getReader();
    await reader?.read();
    expect((await takeOver(other, id)).status).toBe(200);
    expect((await write(other, id, 'I am here')).status).toBe(200);
    await reader?.cancel();
    const [partial, message] = (await messagesOf(database, id)).slice(-2);
    expect([partial?.by, partial?.status, message?.by]).toEqual(['assistant', 'interrupted', 'person']);
    expect(text.startsWith(partial?.text ?? '') && partial?.text !== '').toBe(true);
  });

  it('refuse a message of the member until the turn has ended for which the member waits', async () => {
    const [one, other] = await startPair(store);
    const id = await newTalk(one);
    const turn = say(one, id, '/slow 2\n/say Done');
    await running(id);
    expect((await takeOver(other, id, { running: 'wait' })).status).toBe(200);
    expect((await write(other, id, 'Too early')).body.error.code).toBe('run_in_progress');
    expect((await turn).body.content).toBe('Done');
    expect((await write(other, id, 'I am here')).status).toBe(200);
    expect((await linesOf(database, id)).slice(-2)).toEqual(['assistant: Done', 'person: I am here']);
  });

  it.each(['stop', 'wait'])(
    'store the messages that were queued after a running turn in their order: %s',
    async (mode) => {
      await setPolicy('enqueue');
      const [one, other] = await startPair(store);
      const id = await newTalk(one);
      const turn = say(one, id, '/slow 5\n/say Done');
      await running(id);
      const responses: Promise<HttpResponse>[] = [];
      for (const [index, text] of ['A', 'B', 'C'].entries()) {
        responses.push(say(index % 2 ? one : other, id, text));
        await queued(id, index + 1);
      }
      expect((await takeOver(other, id, { running: mode })).status).toBe(200);
      for (const { status, body } of await Promise.all(responses))
        expect([status, body.handled_by]).toEqual([200, 'member']);
      await turn;
      const users = (await linesOf(database, id)).filter((line) => line.startsWith('user'));
      expect(users.slice(-3)).toEqual(['user: A', 'user: B', 'user: C']);
      await handBack(one, id);
      await settled(database, id);
      expect(await handlingOf(database, id)).toMatchObject({ turns: 3, active: 0 });
      expect((await linesOf(database, id)).at(-1)).toMatch(/^assistant: .*C/s);
    },
  );

  it('store a queued message whose process died, and its retry gets the response of a stored message', async () => {
    await setPolicy('enqueue');
    const [dying, other] = await startPair(store);
    const id = await newTalk(other);
    const turn = say(other, id, '/slow 8\n/say Done');
    await running(id);
    const headers = { 'idempotency-key': randomUUID() };
    const cut = say(dying, id, 'Queued', { headers }).catch(() => 'cut');
    await queued(id, 1);
    // Paused, so that it cannot store the message itself.
    dying.child.kill('SIGSTOP');
    expect((await takeOver(other, id, { running: 'wait' })).status).toBe(200);
    expect(await count('SELECT FROM queued_turn WHERE conversation_id = $1', id)).toBe(1);
    await dying.kill('SIGKILL');
    expect(await cut).toBe('cut');
    const { status, body } = await repeated(() => say(other, id, 'Queued', { headers }));
    expect([status, body.handled_by, body.content]).toEqual([200, 'member', '']);
    await turn;
    expect((await linesOf(database, id)).filter((line) => line === 'user: Queued')).toHaveLength(1);
    await handBack(other, id);
    await settled(database, id);
    expect(await handlingOf(database, id)).toMatchObject({ turns: 3, active: 0 });
  });

  it('end a streamed reply after the message was stored', async () => {
    const [one, other] = await startPair(store);
    const id = await newTalk(one);
    await takeOver(other, id);
    const stream = await openStream(one, { ...words('Anyone?'), conversation_id: id }, { deploymentId: DEMO_AGENT_ID });
    expect([stream.response.status, await stream.chunks()]).toEqual([200, []]);
    expect((await linesOf(database, id)).at(-1)).toBe('user: Anyone?');
  });

  /** Sends a message in one of the ways. Returns whether the service has acknowledged it. */
  async function send(client: Client, id: string, text: string, way: number): Promise<boolean> {
    if (way === 3) {
      const { response, chunks } = await openStream(
        client,
        { ...words(text), conversation_id: id },
        { deploymentId: DEMO_AGENT_ID },
      );
      await chunks();
      return response.status === 200;
    }
    const background = { headers: { prefer: 'respond-async' } };
    const { status, body } = await say(client, id, text, [{}, { version: 'v1' }, background][way]);
    if (status >= 400) expect(body.error.code).toBe('run_in_progress');
    return status < 300;
  }

  it.each(POLICIES)(
    'store each acknowledged message of racing users once and in the order of its sender: %s',
    async (policy) => {
      await setPolicy(policy);
      const pair = await startPair(store);
      const id = await newTalk(pair[0]);
      const acknowledged: string[][] = [];
      const writing = Array.from({ length: WRITERS }, async (_, writer) => {
        const sent: string[] = [];
        acknowledged.push(sent);
        for (let number = 0; number < MESSAGES; number += 1) {
          const text = `/slow 0.05\n/say ${writer}-${number}.`;
          if (await send(pair[(writer + number) % 2] as Client, id, text, (writer + number) % 4)) sent.push(text);
        }
      });
      const written: string[] = [];
      const handling = async () => {
        for (let number = 0; number < HAND_OVERS; number += 1) {
          const client = pair[number % 2] as Client;
          expect((await takeOver(client, id, { running: number % 2 ? 'stop' : 'wait' })).status).toBe(200);
          const { status, body } = await write(client, id, `Member ${number}`);
          if (status === 200) written.push(`Member ${number}`);
          else expect(body.error.code).toBe('run_in_progress');
          if (number % 3 === 2)
            await database.query('UPDATE conversation SET handling_until = now() WHERE id = $1', [id]);
          expect((await handBack(client, id)).status).toBe(200);
        }
      };
      await Promise.all([...writing, handling()]);
      await settled(database, id);
      const stored = await messagesOf(database, id);
      const users = stored.filter(({ by, text }) => by === 'user' && text !== 'Hello').map(({ text }) => text);
      expect([...users].sort()).toEqual(acknowledged.flat().sort());
      for (const sent of acknowledged) expect(users.filter((text) => sent.includes(text))).toEqual(sent);
      expect(stored.filter(({ by }) => by === 'person').map(({ text }) => text)).toEqual(written);
      expect(await handlingOf(database, id)).toMatchObject({ handling: 'assistant', owes: false, active: 0 });
      const replies = stored.filter(({ by }) => by === 'assistant').map(({ text }) => text);
      expect(new Set(replies).size).toBe(replies.length);
      expect(stored.at(-1)?.by).not.toBe('user');
    },
  );
});
