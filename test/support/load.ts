import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, HttpResponse } from './client.ts';
import { openPool } from './database.ts';
import { errorOf } from './results.ts';
import { type Subscription, subscribe } from './subscriptions.ts';

/** A followed conversation. Its subscription reconnects after its cursor whenever it ends. */
interface FollowedConversation {
  readonly id: string;
  /** IDs of items in the order of arrival. */
  readonly receivedIds: string[];
  /** How often the subscription was opened. */
  readonly opened: number;
}

/** Clients that send one request after another until they are stopped. */
export interface Load {
  /** How many responses had status 200 so far. */
  readonly succeeded: number;
  /** Every response with another status, and every failed request. */
  readonly failures: readonly string[];
  /** Stops. Resolves once every request has a response and every subscription has received the last item. */
  stop(): Promise<readonly FollowedConversation[]>;
}

const ITEMS = `subscription ($id: ID!, $after: String) {
  conversationChanged(conversationId: $id, after: $after) { cursor items { id: itemId } } }`;

const START = 'query ($id: ID!) { conversation(id: $id) { history { followCursor nodes { id: itemId } } } }';

const LAST = 'query ($id: ID!) { conversation(id: $id) { history(last: 1) { nodes { id: itemId } } } }';

const LIST = '{ conversations(first: 20) { nodes { name latestRun { status } } } }';

/** A client's pause between a response and its next request. It leaves time for processes that start. */
const THINK_MS = 40;

/** Each writer repeats its script. One of them sends turns that take a while. */
const SCRIPTS = ['/slow 1.5\n/say done', 'Go on', 'Go on', 'Go on'];

/** Sends turns, reads by both APIs, and subscriptions to what the turns write. */
export async function startLoad(client: Client): Promise<Load> {
  const failures: string[] = [];
  let succeeded = 0;
  const stopping = new AbortController();
  const recordResponse = async (label: string, request: Promise<HttpResponse>) => {
    try {
      const { status, body } = await request;
      if (status === 200 && !errorOf({ body })) succeeded += 1;
      else failures.push(`${label}: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      failures.push(`${label}: ${error} ${(error as Error).cause}`);
    }
    await pause(THINK_MS);
  };
  const conversations = await Promise.all(
    SCRIPTS.map(async () => (await client.agentTurn('Hello')).body.conversation_id as string),
  );
  const writing = conversations.map(async (conversation_id, index) => {
    while (!stopping.signal.aborted) {
      await recordResponse('turn', client.agentTurn(SCRIPTS[index] ?? '', { conversation_id }));
    }
  });
  const reading = Array.from({ length: 2 }, async () => {
    while (!stopping.signal.aborted) {
      await recordResponse('list', client.graphql(LIST));
      await recordResponse('messages', client.send('GET', `/v1/runner/conversation/${conversations[0]}/messages`));
    }
  });
  const followed = conversations.slice(0, 2);
  const lastItems = followed.map(async (id, index) => {
    await once(stopping.signal, 'abort');
    await writing[index];
    const { body } = await client.graphql(LAST, { id });
    const last = body?.data?.conversation?.history.nodes[0]?.id as string | undefined;
    if (last === undefined) failures.push(`last item: ${JSON.stringify(body)}`);
    return last ?? '';
  });
  const following = followed.map((id, index) => follow(client, id, lastItems[index], failures));
  return {
    get succeeded() {
      return succeeded;
    },
    failures,
    async stop() {
      stopping.abort();
      await Promise.all([...writing, ...reading]);
      return Promise.all(following);
    },
  };
}

/** The IDs of all items of a conversation in the database, in the order of writing. */
export async function storedItemIds(databaseUrl: string, conversationId: string): Promise<string[]> {
  const pool = openPool(databaseUrl, 1);
  const { rows } = await pool.query('SELECT id FROM timeline_item WHERE conversation_id = $1 ORDER BY id', [
    conversationId,
  ]);
  await pool.end();
  return rows.map((row) => `item_${String(row.id).padStart(16, '0')}`);
}

/** Follows a conversation until it has received the item that `end` names. */
async function follow(
  client: Client,
  id: string,
  end: Promise<string> | undefined,
  failures: string[],
): Promise<FollowedConversation> {
  const { body } = await client.graphql(START, { id });
  if (!body?.data?.conversation) {
    failures.push(`first read: ${JSON.stringify(body)}`);
    return { id, receivedIds: [], opened: 0 };
  }
  const { history } = body.data.conversation;
  const receivedIds: string[] = history.nodes.map((node: { id: string }) => node.id);
  let cursor: string = history.followCursor;
  let last: string | undefined;
  let feed: Subscription | undefined;
  // Without a last item there is nothing to wait for: its read has failed.
  const isComplete = () => last !== undefined && (last === '' || receivedIds.includes(last));
  void end?.then((item) => {
    last = item;
    if (isComplete()) void feed?.close();
  });
  let opened = 0;
  while (!isComplete()) {
    feed = await subscribe(client, ITEMS, { id, after: cursor }, client.key);
    opened += 1;
    if (feed.rejection) failures.push(`feed: ${feed.rejection.status} ${JSON.stringify(feed.rejection.body)}`);
    while (!isComplete()) {
      // A process that shuts down breaks the connection.
      const event = await feed.next().catch(() => undefined);
      if (!event) break;
      receivedIds.push(...event.data.conversationChanged.items.map((item: { id: string }) => item.id));
      cursor = event.data.conversationChanged.cursor;
    }
    await feed.close();
  }
  return { id, receivedIds: receivedIds, opened };
}
