import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { type FeedEvent, openTurnFeed, type TurnFeed } from '../support/turn-feed.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent();
});
afterAll(() => provided.close());

const feeds = new Set<TurnFeed>();
afterEach(() => {
  for (const feed of feeds) feed.close();
  feeds.clear();
});

async function follow(id: string, after?: string): Promise<TurnFeed> {
  const feed = await openTurnFeed(provided.service, id, after === undefined ? {} : { after });
  expect(feed.response.status).toBe(200);
  feeds.add(feed);
  return feed;
}

async function startConversation(): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  return (await provided.turn(deploymentId)).body.conversation_id;
}

const turn = (conversation_id: string) => provided.turn(deploymentId, { conversation_id });

/** The cursor of the newest page of the history. */
async function pageCursor(id: string): Promise<string> {
  const document = 'query ($id: ID!) { conversation(id: $id) { history(last: 5) { followCursor } } }';
  const { body } = await provided.service.graphql(document, { id });
  return body.data.conversation.history.followCursor;
}

const types = (events: readonly FeedEvent[]) => events.map(({ event }) => event);

describe('the feed of a turn after a page of the history', () => {
  it('begins with the end of the turn that the page shows, and continues with the next one', async () => {
    const id = await startConversation();
    const feed = await follow(id, await pageCursor(id));
    expect(types(await feed.until('turn.ended'))).toEqual(['turn.ended']);
    await turn(id);
    const next = await feed.until('turn.ended');
    expect(types(next)).toEqual(['turn.started', 'item', 'text.delta', 'item', 'turn.ended']);
  });

  it('reports the running turn and its text from the first character, without the items of the page', async () => {
    const id = await startConversation();
    const first = await follow(id);
    const dictation = dictate(provided.provider);
    const response = turn(id);
    dictation.say('early ');
    await first.until('text.delta');
    const feed = await follow(id, await pageCursor(id));
    const events = await feed.until('text.delta');
    expect(types(events)).toEqual(['turn.started', 'text.delta']);
    expect(events.at(-1)?.data).toMatchObject({ offset: 0, text: 'early ' });
    dictation.end();
    await response;
    expect(types(await feed.until('turn.ended'))).toEqual(['item', 'turn.ended']);
  });

  it('reports everything since the page', async () => {
    const id = await startConversation();
    const after = await pageCursor(id);
    await turn(id);
    const events = await (await follow(id, after)).until('turn.ended');
    expect(types(events)).toEqual(['turn.started', 'item', 'text.delta', 'item', 'turn.ended']);
  });

  it('rejects the cursor of another conversation', async () => {
    const [id, other] = [await startConversation(), await startConversation()];
    const { response } = await openTurnFeed(provided.service, id, { after: await pageCursor(other) });
    expect([response.status, (await response.json()).error.code]).toEqual([400, 'invalid_cursor']);
  });
});
