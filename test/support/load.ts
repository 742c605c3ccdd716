import { type Client } from './client.ts';
import { readHistory } from './agent-turns.ts';
import { subscribe } from './subscriptions.ts';

/** Clients that go on, one request after the other, until they are told to stop. */
export interface Load {
  /** How many requests have been answered as they should so far. */
  readonly answered: number;
  /** Whatever was not: none of it ends the load. */
  readonly failures: readonly string[];
  /** Stops, and resolves once every request is answered and every feed has told all that was written. */
  stop(): Promise<void>;
}

const ITEMS = `subscription ($id: UUID!, $after: String) {
  conversationChanged(conversationId: $id, after: $after) { cursor items { id } } }`;

const START = 'query ($id: UUID!) { conversation(conversationId: $id) { history { followCursor nodes { id } } } }';

/** Turns, short and long ones, reads by both doors, and feeds of what is written. */
export async function startLoad(client: Client, writers: number): Promise<Load> {
  const tally = { answered: 0, failures: [] as string[] };
  const stopping = new AbortController();
  const { signal } = stopping;
  const judge = (what: string, asked: Promise<{ status: number; body: unknown }>) =>
    asked.then(
      ({ status, body }) => {
        if (status === 200) tally.answered += 1;
        else tally.failures.push(`${what}: ${status} ${JSON.stringify(body)}`);
      },
      (error: Error) => void tally.failures.push(`${what}: ${error} ${String(error.cause)}`),
    );
  const conversations = await Promise.all(
    Array.from({ length: writers }, async () => (await client.agentTurn('Hello')).body.conversation_id as string),
  );
  const loops = conversations.map(async (conversation_id, index) => {
    const script = index === 0 ? '/slow 1.5\n/say done' : 'Go on';
    while (!signal.aborted) await judge('turn', client.agentTurn(script, { conversation_id }));
  });
  const feeds = await Promise.all(
    conversations.slice(0, 2).map(async (id) => {
      const { history } = (await client.graphql(START, { id })).body.data.conversation;
      return { id, seen: history.nodes.map((node: { id: string }) => node.id) as string[], cursor: history.followCursor };
    }),
  );
  const following = feeds.map(async (feed) => {
    while (!signal.aborted || (await isBehind(client, feed))) {
      const stream = await subscribe(client, ITEMS, { id: feed.id, after: feed.cursor }, client.key);
      if (stream.refused) tally.failures.push(`feed: ${stream.refused.status}`);
      for (let event = await stream.next().catch(noted(tally)); event; event = await stream.next().catch(noted(tally))) {
        const { cursor, items } = event.data.conversationChanged;
        feed.seen.push(...items.map((item: { id: string }) => item.id));
        feed.cursor = cursor;
        if (signal.aborted && !(await isBehind(client, feed))) break;
      }
      await stream.close();
    }
  });
  const reading = async () => {
    while (!signal.aborted) {
      await judge('list', client.graphql('{ conversations(first: 20) { nodes { name run { status } } } }'));
      await judge('messages', client.send('GET', `/v1/runner/conversation/${conversations[0]}/messages`));
    }
  };
  const all = [...loops, reading(), reading()];
  return {
    get answered() {
      return tally.answered;
    },
    failures: tally.failures,
    async stop() {
      stopping.abort();
      await Promise.all(all);
      await Promise.all(following);
    },
  };
}
