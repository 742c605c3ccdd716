import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { type Subscription, subscribe, trackSubscriptions } from '../support/subscriptions.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

const ITEM = `id: itemId type ... on Message { role content { ... on TextPart { text } } } ... on Call { callId name status }`;

const ONE = `subscription ($id: ID!, $after: String, $deploymentId: ID) {
  conversationChanged(conversationId: $id, after: $after, deploymentId: $deploymentId) {
    cursor items { ${ITEM} }
    conversation { name status latestRun { runId status } pendingActions { callId } } } }`;

const HISTORY = `query ($id: ID!, $last: Int) { conversation(id: $id) {
  latestRun { status } history(last: $last) { nodes { ${ITEM} } followCursor } } }`;

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
    readonly latestRun: { readonly status: string } | null;
    readonly pendingActions: { readonly callId: string }[];
  };
}

async function follow(id: string, after?: string): Promise<Subscription> {
  const stream = await feeds.open(service, ONE, { id, after }, service.keys.live);
  return stream;
}

const nextOf = async (stream: Subscription): Promise<Change> => (await stream.next()).data.conversationChanged;

/** Reads changes until one matches. Returns all items received, and the last change. */
async function changesUntil(stream: Subscription, matches: (change: Change) => boolean) {
  const items: Item[] = [];
  for (;;) {
    const change = await nextOf(stream);
    items.push(...change.items);
    if (matches(change)) return { items, change };
  }
}

const textsOf = (items: readonly Item[]) => items.flatMap(({ content }) => content?.map(({ text }) => text) ?? []);

async function readHistory(id: string, last = 100) {
  const { body } = await service.graphql(HISTORY, { id, last });
  return body.data.conversation.history as { nodes: Item[]; followCursor: string };
}

async function startConversation(message = 'Hello'): Promise<string> {
  return (await service.agentTurn(message)).body.conversation_id;
}

describe('conversationChanged', () => {
  it('sends the state at once, then each stored item and each status change of the run', async () => {
    const id = await startConversation();
    const stream = await follow(id);
    expect(await nextOf(stream)).toMatchObject({ items: [], conversation: { latestRun: { status: 'COMPLETED' } } });
    const script = '/call lookup {}\n/say done';
    const client_capabilities = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const turn = service.agentTurn(script, { conversation_id: id, client_capabilities });
    // The state may be newer than the items, which follow.
    const waiting = await changesUntil(stream, ({ items }) => items.some(({ type }) => type === 'CLIENT_TOOL'));
    const { call_id } = (await turn).body.client_tool_calls[0];
    expect(waiting.items.map(({ type, status }) => [type, status])).toEqual([
      ['MESSAGE', undefined],
      ['CLIENT_TOOL', 'PENDING'],
    ]);
    expect(waiting.change.conversation.pendingActions).toEqual([{ callId: call_id }]);
    await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { conversation_id: id, tool_results: [{ call_id, output: {} }] },
    });
    const done = await changesUntil(stream, ({ items }) => textsOf(items).includes('done'));
    expect(done.items.map(({ type, status }) => [type, status])).toEqual([
      ['CLIENT_TOOL', 'COMPLETED'],
      ['MESSAGE', undefined],
    ]);
    expect(done.change.conversation).toMatchObject({ pendingActions: [], latestRun: { status: 'COMPLETED' } });
  });

  it("sends after a page's followCursor only what the page does not contain", async () => {
    const id = await startConversation();
    const { nodes, followCursor } = await readHistory(id);
    expect(nodes).toHaveLength(2);
    await service.agentTurn('Again', { conversation_id: id });
    const change = await nextOf(await follow(id, followCursor));
    expect(textsOf(change.items)).toEqual(['Again', 'You said: Again']);
  });

  it('continues after the cursor of the last change without gap or repeat', async () => {
    const id = await startConversation();
    const first = await follow(id);
    let { cursor } = await nextOf(first);
    await first.close();
    const results: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      await service.agentTurn(`${number}`, { conversation_id: id });
      const stream = await follow(id, cursor);
      const change = await nextOf(stream);
      await stream.close();
      results.push(...textsOf(change.items));
      cursor = change.cursor;
    }
    expect(results).toEqual([0, 1, 2, 3, 4].flatMap((number) => [`${number}`, `You said: ${number}`]));
  });

  it('sends each of sixty items once and in order to a client that reconnects repeatedly', async () => {
    const id = await startConversation();
    const itemCount = 60;
    const { followCursor } = await readHistory(id);
    const writer = (async () => {
      for (let number = 0; number < itemCount / 2; number += 1) {
        await service.agentTurn(`n${number}`, { conversation_id: id });
      }
    })();
    const received: string[] = [];
    let cursor = followCursor;
    while (received.length < itemCount) {
      const stream = await follow(id, cursor);
      const changes = 1 + (received.length % 3);
      for (let number = 0; number < changes && received.length < itemCount; number += 1) {
        const change = await nextOf(stream);
        received.push(...change.items.map(({ id: itemId }) => itemId));
        cursor = change.cursor;
      }
      await stream.close();
    }
    await writer;
    const { nodes } = await readHistory(id, itemCount);
    expect(received).toEqual(nodes.map(({ id: itemId }) => itemId));
  });

  it('resumes from Last-Event-ID, as an EventSource does', async () => {
    const id = await startConversation();
    const stream = await follow(id);
    const { cursor } = await nextOf(stream);
    expect(stream.lastEventId).toBe(cursor);
    await stream.close();
    await service.agentTurn('Meanwhile', { conversation_id: id });
    const repeated = await feeds.open(service, ONE, { id }, service.keys.live, { 'last-event-id': cursor });
    expect(textsOf((await nextOf(repeated)).items)).toEqual(['Meanwhile', 'You said: Meanwhile']);
  });

  it('sends a title that the model generated', async () => {
    const { id: deployment } = await makeDeployment(service, { titleModel: true }, { kind: 'agent' });
    const body = { content: [{ type: 'text', text: 'Hello there' }] };
    const turn = await service.send('POST', `/v2/runner/${deployment}/conversation`, { body });
    const stream = await follow(turn.body.conversation_id);
    await changesUntil(stream, ({ conversation }) => conversation.name !== 'Hello there');
  });

  it('ends with not_found when the conversation is deleted, as the feed of its turns does', async () => {
    const id = await startConversation();
    const stream = await follow(id);
    await nextOf(stream);
    const turnEvents = 'subscription ($id: ID!) { turnEvents(conversationId: $id) { __typename } }';
    const turns = await feeds.open(service, turnEvents, { id }, service.keys.live);
    await service.graphql(
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }',
      {
        id,
      },
    );
    for (const feed of [stream, turns]) {
      const last = await until(async () => {
        const event = await feed.next();
        return event?.errors ? event : undefined;
      });
      expect(last.errors[0].extensions.code).toBe('NOT_FOUND');
      expect(await feed.next()).toBeUndefined();
    }
  });

  it('rejects a conversation of another deployment or environment, and an invalid cursor', async () => {
    const [id, other] = [await startConversation(), await startConversation()];
    const { followCursor } = await readHistory(other);
    const { id: deploymentId } = await makeDeployment(service, {});
    const otherEnvironment = await subscribe(service, ONE, { id }, service.keys.test);
    const otherDeployment = await subscribe(service, ONE, { id, deploymentId }, service.keys.live);
    const wrong = await subscribe(service, ONE, { id, after: followCursor }, service.keys.live);
    for (const [{ rejection: rejected }, code] of [
      [otherEnvironment, 'not_found'],
      [otherDeployment, 'not_found'],
      [wrong, 'invalid_cursor'],
    ] as const) {
      expect(rejected).toBeDefined();
      if (rejected) expectGraphqlError(rejected, code);
    }
  });
});
