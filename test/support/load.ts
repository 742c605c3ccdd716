import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Client } from './client.ts';
import { type Subscription, subscribe } from './subscriptions.ts';

/** A feed of a conversation that goes on behind its cursor wherever it ends. */
interface FollowedConversation {
  readonly id: string;
  /** Ids of items as they were told. */
  readonly seen: string[];
  /** How often it was opened. */
  readonly opened: number;
}

/** Clients that go on, one request after the other, until they are told to stop. */
export interface Load {
  /** How many requests have been answered with 200 so far. */
  readonly answered: number;
  /** Whatever was answered otherwise, or not at all. */
  readonly failures: readonly string[];
  /** Stops, and resolves once every request is answered and every feed has told the last that was written. */
  stop(): Promise<readonly FollowedConversation[]>;
}

const ITEMS = `subscription ($id: UUID!, $after: String) {
  conversationChanged(conversationId: $id, after: $after) { cursor items { id } } }`;

const START = 'query ($id: UUID!) { conversation(conversationId: $id) { history { followCursor nodes { id } } } }';

const LAST = 'query ($id: UUID!) { conversation(conversationId: $id) { history(last: 1) { nodes { id } } } }';

const LIST = '{ conversations(first: 20) { nodes { name run { status } } } }';

/** What a client takes between an answer and its next request, so that they leave processes that start some time. */
const THINK_MS = 40;

/** What each writer sends again and again: one of them sends turns that take a while. */
const SCRIPTS = ['/slow 1.5\n/say done', 'Go on', 'Go on', 'Go on'];

/** Turns, reads by both doors, and feeds of what is written. */
export async function startLoad(client: Client): Promise<Load> {
  const failures: string[] = [];
  let answered = 0;
  const stopping = new AbortController();
  const judge = async (what: string, asked: Promise<Answer>) => {
    try {
      const { status, body } = await asked;
      if (status === 200 && !body.errors) answered += 1;
      else failures.push(`${what}: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      failures.push(`${what}: ${error} ${(error as Error).cause}`);
    }
    await pause(THINK_MS);
  };
  const conversations = await Promise.all(
    SCRIPTS.map(async () => (await client.agentTurn('Hello')).body.conversation_id as string),
  );
  const writing = conversations.map(async (conversation_id, index) => {
    while (!stopping.signal.aborted) {
      await judge('turn', client.agentTurn(SCRIPTS[index] ?? '', { conversation_id }));
    }
  });
  const reading = Array.from({ length: 2 }, async () => {
    while (!stopping.signal.aborted) {
      await judge('list', client.graphql(LIST));
      await judge('messages', client.send('GET', `/v1/runner/conversation/${conversations[0]}/messages`));
    }
  });
  const followed = conversations.slice(0, 2);
  const ends = followed.map(async (id, index) => {
    await once(stopping.signal, 'abort');
    await writing[index];
    return (await client.graphql(LAST, { id })).body.data.conversation.history.nodes[0].id as string;
  });
  const following = followed.map((id, index) => follow(client, id, ends[index], failures));
  return {
    get answered() {
      return answered;
    },
    failures,
    async stop() {
      stopping.abort();
      await Promise.all([...writing, ...reading]);
      return Promise.all(following);
    },
  };
}

/** Follows a conversation up to the item that `end` names. */
async function follow(
  client: Client,
  id: string,
  end: Promise<string> | undefined,
  failures: string[],
): Promise<FollowedConversation> {
  const { body } = await client.graphql(START, { id });
  if (!body?.data?.conversation) throw new Error(`the conversation was not read: ${JSON.stringify(body)}`);
  const { history } = body.data.conversation;
  const seen: string[] = history.nodes.map((node: { id: string }) => node.id);
  let cursor: string = history.followCursor;
  let last: string | undefined;
  let feed: Subscription | undefined;
  const isOver = () => last !== undefined && seen.includes(last);
  void end?.then((item) => {
    last = item;
    if (isOver()) void feed?.close();
  });
  let opened = 0;
  while (!isOver()) {
    feed = await subscribe(client, ITEMS, { id, after: cursor }, client.key);
    opened += 1;
    if (feed.refused) failures.push(`feed: ${feed.refused.status} ${JSON.stringify(feed.refused.body)}`);
    while (!isOver()) {
      const event = await feed.next().catch((error: unknown) => {
        if (!isOver()) failures.push(`feed: ${error}`);
      });
      if (!event) break;
      seen.push(...event.data.conversationChanged.items.map((item: { id: string }) => item.id));
      cursor = event.data.conversationChanged.cursor;
    }
    await feed.close();
  }
  return { id, seen, opened };
}
