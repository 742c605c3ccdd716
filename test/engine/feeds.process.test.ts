import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startAt, startPair } from '../support/places.ts';
import { killAll } from '../support/process.ts';
import { type Subscription, subscribe } from '../support/subscriptions.ts';

const ONE = `subscription ($id: UUID!, $after: String) { conversationChanged(conversationId: $id, after: $after) {
  cursor items { id } conversation { run { status } } } }`;

const LIST = `subscription ($after: String) { conversationsChanged(after: $after) {
  cursor conversationId conversation { messageCount } } }`;

describe.skipIf(!POSTGRES_URL)('WIRE 13: feeds of conversations, at two processes', () => {
  let home: PostgresPlace;
  let database: pg.Pool;
  beforeAll(async () => {
    home = await postgres();
    database = openPool(home.url, 10);
  });
  afterEach(killAll);
  afterAll(async () => {
    await database.end();
    await home.remove();
  });

  const follow = (client: Client, document: string, variables: object): Promise<Subscription> =>
    subscribe(client, document, variables, home.key);

  async function begin(client: Client) {
    const id: string = (await client.agentTurn('Hello')).body.conversation_id;
    const page = `query ($id: UUID!) { conversation(conversationId: $id) { history { followCursor } } }`;
    const { body } = await client.graphql(page, { id });
    return { id, cursor: body.data.conversation.history.followCursor as string };
  }

  /** Ids of items stored behind the first turn, in order. */
  async function storedItems(id: string): Promise<string[]> {
    const { rows } = await database.query('SELECT id FROM timeline_item WHERE conversation_id = $1 ORDER BY id', [id]);
    return rows.slice(2).map((row) => `item_${String(row.id).padStart(16, '0')}`);
  }

  it('tell each item once and in order, whichever process is asked and whichever writes', async () => {
    const pair = await startPair(home);
    const { id, cursor: start } = await begin(pair[0]);
    const turns = 40;
    const writing = (async () => {
      for (let turn = 0; turn < turns; turn += 1) {
        await (pair[turn % 2] as Client).agentTurn(`turn ${turn}`, { conversation_id: id });
      }
    })();
    const seen: string[] = [];
    let cursor = start;
    for (let piece = 0; seen.length < turns * 2; piece += 1) {
      const stream = await follow(pair[piece % 2] as Client, ONE, { id, after: cursor });
      for (let taken = 0; taken <= piece % 4 && seen.length < turns * 2; taken += 1) {
        const { conversationChanged } = (await stream.next()).data;
        seen.push(...conversationChanged.items.map((item: { id: string }) => item.id));
        cursor = conversationChanged.cursor;
      }
      await stream.close();
    }
    await writing;
    expect(seen).toEqual(await storedItems(id));
  });

  it('go on behind the last cursor where their process was killed, at its successor', async () => {
    const [doomed, writer] = await startPair(home);
    const { id, cursor: start } = await begin(writer);
    const stream = await follow(doomed, ONE, { id, after: start });
    const seen: string[] = [];
    let cursor = start;
    const take = (data: { conversationChanged: { cursor: string; items: { id: string }[] } }) => {
      seen.push(...data.conversationChanged.items.map((item) => item.id));
      cursor = data.conversationChanged.cursor;
    };
    take((await stream.next()).data);
    await writer.agentTurn('before', { conversation_id: id });
    while (seen.length < 1) take((await stream.next()).data);
    await doomed.kill('SIGKILL');
    await stream.close();
    await writer.agentTurn('meanwhile', { conversation_id: id });
    const successor = await startAt(home);
    const again = await follow(successor, ONE, { id, after: cursor });
    const stored = await storedItems(id);
    while (seen.length < stored.length) take((await again.next()).data);
    await again.close();
    expect(seen).toEqual(stored);
  });

  it('end with complete where their process shuts down', async () => {
    const [leaving] = await startPair(home);
    const { id } = await begin(leaving);
    const response = await fetch(`${leaving.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${home.key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: ONE, variables: { id } }),
    });
    const text = response.text();
    await leaving.kill('SIGTERM');
    expect(await text).toMatch(/event: complete\ndata:\n\n$/);
  });

  it('end with complete for each operation of a shared stream, and then the stream, where their process shuts down', async () => {
    const [leaving] = await startPair(home);
    const { id } = await begin(leaving);
    const token = (await leaving.send('PUT', '/graphql/stream')).body;
    const response = await fetch(`${leaving.url}/graphql/stream?token=${token}`);
    const headers = { 'x-graphql-event-stream-token': token };
    for (const operationId of ['a', 'b']) {
      const body = { query: ONE, variables: { id }, extensions: { operationId } };
      expect((await leaving.send('POST', '/graphql/stream', { body, headers })).status).toBe(202);
    }
    const text = response.text();
    await leaving.kill('SIGTERM');
    const completed = [...(await text).matchAll(/event: complete\ndata: (.*)/g)].map(([, data]) => data);
    expect(completed.sort()).toEqual(['{"id":"a"}', '{"id":"b"}']);
  });

  it('tell of each conversation as it is in the end, though changes commit late and out of order', async () => {
    const pair = await startPair(home);
    const { body } = await pair[0].graphql('{ conversations(first: 1) { followCursor } }');
    let cursor = body.data.conversations.followCursor;
    const conversations = 24;
    const told = new Map<string, number>();
    const writing = Promise.all(
      Array.from({ length: conversations }, async (_, index) => {
        const client = pair[index % 2] as Client;
        const id: string = (await client.agentTurn('Hello')).body.conversation_id;
        // A change whose transaction stays open while others commit.
        const slow = await database.connect();
        await slow.query('BEGIN');
        await slow.query('UPDATE conversation SET message_count = message_count + 100 WHERE id = $1', [id]);
        await slow.query('SELECT pg_sleep($1)', [(index % 8) / 10]);
        await slow.query('COMMIT');
        slow.release();
        return id;
      }),
    );
    const isOver = () => told.size === conversations && [...told.values()].every((count) => count === 102);
    for (let piece = 0; !isOver(); piece += 1) {
      const stream = await follow(pair[piece % 2] as Client, LIST, { after: cursor });
      for (let taken = 0; taken <= piece % 5 && !isOver(); taken += 1) {
        const { conversationsChanged: change } = (await stream.next()).data;
        told.set(change.conversationId, change.conversation.messageCount);
        cursor = change.cursor;
      }
      await stream.close();
    }
    expect(new Set(await writing)).toEqual(new Set(told.keys()));
  });
});
