import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf, itemIdOf } from '../support/branching.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { replyWith } from '../support/talk.ts';
import { type FeedEvent, openTurnFeed, type TurnFeed } from '../support/turn-feed.ts';

let provided: ProviderService;
let deploymentId: string;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  provided = await startProviderService();
  branches = branchesOf(provided.service);
  deploymentId = await provided.agent();
});
afterAll(() => provided.close());

const feeds = new Set<TurnFeed>();
afterEach(() => {
  for (const feed of feeds) feed.close();
  feeds.clear();
});

async function follow(id: string, options?: Parameters<typeof openTurnFeed>[2]): Promise<TurnFeed> {
  const feed = await openTurnFeed(provided.service, id, options);
  feeds.add(feed);
  return feed;
}

/** A conversation of these messages. */
async function talkOf(...said: string[]): Promise<string> {
  let id: string | undefined;
  for (const text of said) {
    provided.provider.reply(replyWith(text.toUpperCase()));
    const { body } = await provided.turn(deploymentId, {
      content: textContent(text),
      ...(id && { conversation_id: id }),
    });
    id = body.conversation_id;
  }
  return id ?? '';
}

const types = (events: readonly FeedEvent[]) => events.map(({ event }) => event);

describe('the feed of turns', () => {
  it('reports what an edit replaces, and the new turn', async () => {
    const id = await talkOf('one', 'two');
    const before = await branches.messages(id);
    const feed = await follow(id);
    provided.provider.reply(replyWith('EINS'));
    await branches.edit(id, before[0]?.id, 'eins');
    const events = await feed.until('turn.ended');
    expect(types(events)).toEqual(['turn.started', 'item', 'items.superseded', 'text.delta', 'item', 'turn.ended']);
    const replaced = events.find(({ event }) => event === 'items.superseded');
    expect(replaced?.data).toEqual({ item_ids: before.map((message) => itemIdOf(message.id)) });
  });

  it('continues after a cursor from before an edit, with the active line alone', async () => {
    const id = await talkOf('one');
    const feed = await follow(id);
    provided.provider.reply(replyWith('TWO'));
    await provided.turn(deploymentId, { content: textContent('two'), conversation_id: id });
    const seen = await feed.until('turn.started');
    feed.close();
    const [, , two, reply] = await branches.messages(id);
    provided.provider.reply(replyWith('ZWEI'));
    await branches.edit(id, two?.id, 'zwei');
    const again = await follow(id, { after: seen.at(-1)?.id } as never);
    const events = await again.until('turn.ended');
    const rest = await again.until('turn.ended').catch(() => []);
    const all = [...events, ...rest];
    const items = all.filter(({ event }) => event === 'item').map(({ data }) => data.item.content[0].text);
    expect(items).toEqual(['zwei', 'ZWEI']);
    const replaced = all.filter(({ event }) => event === 'items.superseded').flatMap(({ data }) => data.item_ids);
    expect(replaced).toEqual([itemIdOf(two?.id), itemIdOf(reply?.id)]);
  });

  it('reports a variant that is active again as items', async () => {
    const id = await talkOf('one');
    provided.provider.reply(replyWith('AGAIN'));
    await branches.regenerate(id);
    const [, first, second] = await branches.messages(id, '&branch=all');
    const feed = await follow(id);
    await branches.select(id, first?.id);
    const events = await feed.until('turn.ended');
    const byType = (type: string) => events.filter(({ event }) => event === type).map(({ data }) => data);
    expect(byType('items.superseded')).toEqual([{ item_ids: [itemIdOf(second?.id)] }]);
    expect(byType('item').map(({ item }) => item.id)).toContain(itemIdOf(first?.id));
    expect(byType('turn.ended')).toMatchObject([{ reply: 'ONE' }]);
  });
});

describe('the feed of a conversation', () => {
  it('has the items of the active line, and the IDs of those that left it', async () => {
    const id = await talkOf('one');
    const [message, first] = await branches.messages(id);
    const query = `subscription ($id: ID!) { conversationChanged(conversationId: $id) {
      cursor items { itemId } supersededItemIds conversation { messageCount } } }`;
    const changes = await subscribe(provided.service, query, { id }, provided.service.keys.live);
    await changes.next();
    provided.provider.reply(replyWith('AGAIN'));
    await branches.regenerate(id);
    const [, , second] = await branches.messages(id, '&branch=all');
    const gone: string[] = [];
    const shown: string[] = [];
    while (!shown.includes(itemIdOf(second?.id))) {
      const { data } = await changes.next();
      gone.push(...data.conversationChanged.supersededItemIds);
      shown.push(...data.conversationChanged.items.map(({ itemId }: { readonly itemId: string }) => itemId));
    }
    await changes.close();
    expect(gone).toEqual([itemIdOf(first?.id)]);
    expect([...new Set(shown)]).toEqual([itemIdOf(message?.id), itemIdOf(second?.id)]);
  });
});
