import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { type Subscription, subscribe } from '../support/subscriptions.ts';

const ONE = `subscription ($id: ID!, $after: String) { conversationChanged(conversationId: $id, after: $after) {
  cursor items { id: itemId } conversation { latestRun { status } } } }`;

const LIST = `subscription ($after: String) { conversationsChanged(after: $after) {
  cursor conversationId conversation { messageCount } } }`;

describe.skipIf(!POSTGRES_URL)('subscriptions to conversations, at two processes', () => {
  let store: PostgresStore;
  let database: pg.Pool;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, 10);
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });

  const follow = (client: Client, document: string, variables: object): Promise<Subscription> =>
    subscribe(client, document, variables, store.key);

  async function startConversation(client: Client) {
    const id: string = (await client.agentTurn('Hello')).body.conversation_id;
    const page = `query ($id: ID!) { conversation(id: $id) { history { followCursor } } }`;
    const { body } = await client.graphql(page, { id });
    return { id, cursor: body.data.conversation.history.followCursor as string };
  }

  /** IDs of the items after the first turn, in order. */
  async function insertItems(id: string): Promise<string[]> {
    const { rows } = await database.query('SELECT id FROM timeline_item WHERE conversation_id = $1 ORDER BY id', [id]);
    return rows.slice(2).map((row) => `item_${String(row.id).padStart(16, '0')}`);
  }

  it('send each item once and in order, whichever process serves and whichever writes', async () => {
    const pair = await startPair(store);
    const { id, cursor: start } = await startConversation(pair[0]);
    const turns = 40;
    const writing = (async () => {
      for (let turn = 0; turn < turns; turn += 1) {
        await (pair[turn % 2] as Client).agentTurn(`turn ${turn}`, { conversation_id: id });
      }
    })();
    const received: string[] = [];
    let cursor = start;
    for (let piece = 0; received.length < turns * 2; piece += 1) {
      const stream = await follow(pair[piece % 2] as Client, ONE, { id, after: cursor });
      for (let taken = 0; taken <= piece % 4 && received.length < turns * 2; taken += 1) {
        const { conversationChanged } = (await stream.next()).data;
        received.push(...conversationChanged.items.map((item: { id: string }) => item.id));
        cursor = conversationChanged.cursor;
      }
      await stream.close();
    }
    await writing;
    expect(received).toEqual(await insertItems(id));
  });

  it('continue after the last cursor at another process if their process is killed', async () => {
    const [dying, writer] = await startPair(store);
    const { id, cursor: start } = await startConversation(writer);
    const stream = await follow(dying, ONE, { id, after: start });
    const received: string[] = [];
    let cursor = start;
    const take = (data: { conversationChanged: { cursor: string; items: { id: string }[] } }) => {
      received.push(...data.conversationChanged.items.map((item) => item.id));
      cursor = data.conversationChanged.cursor;
    };
    take((await stream.next()).data);
    await writer.agentTurn('before', { conversation_id: id });
    while (received.length < 1) take((await stream.next()).data);
    await dying.kill('SIGKILL');
    await stream.close();
    await writer.agentTurn('meanwhile', { conversation_id: id });
    const successor = await startOn(store);
    const repeated = await follow(successor, ONE, { id, after: cursor });
    const stored = await insertItems(id);
    while (received.length < stored.length) take((await repeated.next()).data);
    await repeated.close();
    expect(received).toEqual(stored);
  });

  it('send the final state of each conversation, though changes commit late and out of order', async () => {
    const pair = await startPair(store);
    const { body } = await pair[0].graphql('{ conversations(first: 1) { followCursor } }');
    let cursor = body.data.conversations.followCursor;
    const conversations = 24;
    const results = new Map<string, number>();
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
    const isOver = () => results.size === conversations && [...results.values()].every((count) => count === 102);
    for (let piece = 0; !isOver(); piece += 1) {
      const stream = await follow(pair[piece % 2] as Client, LIST, { after: cursor });
      for (let taken = 0; taken <= piece % 5 && !isOver(); taken += 1) {
        const { conversationsChanged: change } = (await stream.next()).data;
        results.set(change.conversationId, change.conversation.messageCount);
        cursor = change.cursor;
      }
      await stream.close();
    }
    expect(new Set(await writing)).toEqual(new Set(results.keys()));
  });
});
