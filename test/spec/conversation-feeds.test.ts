import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { openFeeds, type Subscription, subscribe } from '../support/subscriptions.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = openFeeds();
afterEach(feeds.closeAll);

const ITEM = `id type ... on Message { role content { ... on TextPart { text } } } ... on Call { callId name status }`;

const ONE = `subscription ($id: UUID!, $after: String, $deploymentId: UUID) {
  conversationChanged(conversationId: $id, after: $after, deploymentId: $deploymentId) {
    cursor items { ${ITEM} }
    conversation { name status run { runId status } pendingActions { callId } } } }`;

const PAINT = `query ($id: UUID!, $last: Int) { conversation(conversationId: $id) {
  run { status } history(last: $last) { nodes { ${ITEM} } followCursor } } }`;

interface Item {
  readonly id: string;
  readonly type: string;
  readonly status?: string;
  readonly content?: { readonly text: string }[];
}

interface Change {
  readonly cursor: string;
  readonly items: Item[];
  readonly conversation: {
    readonly name: string;
    readonly status: string;
    readonly run: { readonly status: string } | null;
    readonly pendingActions: { readonly callId: string }[];
  };
}

async function follow(id: string, after?: string): Promise<Subscription> {
  const stream = await feeds.open(service, ONE, { id, after }, service.keys.live);
  return stream;
}

const nextOf = async (stream: Subscription): Promise<Change> => (await stream.next()).data.conversationChanged;

/** Changes until one holds: all items told on the way, and the last change. */
async function changesUntil(stream: Subscription, holds: (change: Change) => boolean) {
  const items: Item[] = [];
  for (;;) {
    const change = await nextOf(stream);
    items.push(...change.items);
    if (holds(change)) return { items, change };
  }
}

const textsOf = (items: readonly Item[]) => items.flatMap(({ content }) => content?.map(({ text }) => text) ?? []);

async function paint(id: string, last = 100) {
  const { body } = await service.graphql(PAINT, { id, last });
  return body.data.conversation.history as { nodes: Item[]; followCursor: string };
}

async function begin(words = 'Hello'): Promise<string> {
  return (await service.agentTurn(words)).body.conversation_id;
}

describe('WIRE 13: conversationChanged', () => {
  it('tells the state at once, and then each item as it is stored and each move of the run', async () => {
    const id = await begin();
    const stream = await follow(id);
    expect(await nextOf(stream)).toMatchObject({ items: [], conversation: { run: { status: 'completed' } } });
    const script = '/call lookup {}\n/say done';
    const client_capabilities = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const turn = service.agentTurn(script, { conversation_id: id, client_capabilities });
    // The state may be ahead of the items: they follow.
    const waiting = await changesUntil(stream, ({ items }) => items.some(({ type }) => type === 'client_tool'));
    const { call_id } = (await turn).body.client_tool_calls[0];
    expect(waiting.items.map(({ type, status }) => [type, status])).toEqual([
      ['message', undefined],
      ['client_tool', 'pending'],
    ]);
    expect(waiting.change.conversation.pendingActions).toEqual([{ callId: call_id }]);
    await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { conversation_id: id, tool_results: [{ call_id, output: {} }] },
    });
    const done = await changesUntil(stream, ({ items }) => textsOf(items).includes('done'));
    expect(done.items.map(({ type, status }) => [type, status])).toEqual([
      ['client_tool', 'completed'],
      ['message', undefined],
    ]);
    expect(done.change.conversation).toMatchObject({ pendingActions: [], run: { status: 'completed' } });
  });

  it('behind the followCursor of a page gives what the page could not show, and nothing that it did', async () => {
    const id = await begin();
    const { nodes, followCursor } = await paint(id);
    expect(nodes).toHaveLength(2);
    await service.agentTurn('Again', { conversation_id: id });
    const change = await nextOf(await follow(id, followCursor));
    expect(textsOf(change.items)).toEqual(['Again', 'You said: Again']);
  });

  it('goes on behind the cursor of the last change, without gap or repeat', async () => {
    const id = await begin();
    const first = await follow(id);
    let { cursor } = await nextOf(first);
    await first.close();
    const told: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      await service.agentTurn(`${number}`, { conversation_id: id });
      const stream = await follow(id, cursor);
      const change = await nextOf(stream);
      await stream.close();
      told.push(...textsOf(change.items));
      cursor = change.cursor;
    }
    expect(told).toEqual([0, 1, 2, 3, 4].flatMap((number) => [`${number}`, `You said: ${number}`]));
  });

  it('tells each of sixty items once and in order, though its reader is cut off again and again', async () => {
    const id = await begin();
    const wanted = 60;
    const { followCursor } = await paint(id);
    const writer = (async () => {
      for (let number = 0; number < wanted / 2; number += 1) {
        await service.agentTurn(`n${number}`, { conversation_id: id });
      }
    })();
    const seen: string[] = [];
    let cursor = followCursor;
    while (seen.length < wanted) {
      const stream = await follow(id, cursor);
      const changes = 1 + (seen.length % 3);
      for (let number = 0; number < changes && seen.length < wanted; number += 1) {
        const change = await nextOf(stream);
        seen.push(...change.items.map(({ id: itemId }) => itemId));
        cursor = change.cursor;
      }
      await stream.close();
    }
    await writer;
    const { nodes } = await paint(id, wanted);
    expect(seen).toEqual(nodes.map(({ id: itemId }) => itemId));
  });

  it('is resumed by Last-Event-ID, as an EventSource does it', async () => {
    const id = await begin();
    const stream = await follow(id);
    const { cursor } = await nextOf(stream);
    expect(stream.lastEventId).toBe(cursor);
    await stream.close();
    await service.agentTurn('Meanwhile', { conversation_id: id });
    const again = await feeds.open(service, ONE, { id }, service.keys.live, { 'last-event-id': cursor });
    expect(textsOf((await nextOf(again)).items)).toEqual(['Meanwhile', 'You said: Meanwhile']);
  });

  it('tells of a title that the model has written', async () => {
    const { id: deployment } = await makeDeployment(service, { titleModel: true }, { kind: 'agent' });
    const body = { content: [{ type: 'text', text: 'Hello there' }] };
    const turn = await service.send('POST', `/v2/runner/${deployment}/conversation`, { body });
    const stream = await follow(turn.body.conversation_id);
    await changesUntil(stream, ({ conversation }) => conversation.name !== 'Hello there');
  });

  it('ends with not_found where the conversation is deleted', async () => {
    const id = await begin();
    const stream = await follow(id);
    await nextOf(stream);
    await service.graphql('mutation ($id: UUID!) { deleteConversation(conversationId: $id) { conversationId } }', {
      id,
    });
    const last = await until(async () => {
      const event = await stream.next();
      return event?.errors ? event : undefined;
    });
    expect(last.errors[0].extensions.code).toBe('not_found');
    expect(await stream.next()).toBeUndefined();
  });

  it('refuses a conversation of another deployment or environment, and a cursor that is none of it', async () => {
    const [id, other] = [await begin(), await begin()];
    const { followCursor } = await paint(other);
    const { id: deploymentId } = await makeDeployment(service, {});
    const foreign = await subscribe(service, ONE, { id }, service.keys.test);
    const misplaced = await subscribe(service, ONE, { id, deploymentId }, service.keys.live);
    const wrong = await subscribe(service, ONE, { id, after: followCursor }, service.keys.live);
    for (const [{ refused }, code] of [
      [foreign, 'not_found'],
      [misplaced, 'not_found'],
      [wrong, 'invalid_cursor'],
    ] as const) {
      expect(refused).toBeDefined();
      if (refused) expectGraphqlError(refused, code);
    }
  });
});
