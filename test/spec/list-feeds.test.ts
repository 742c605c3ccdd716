import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { openFeeds, type Subscription, subscribe } from '../support/subscriptions.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = openFeeds();
afterEach(feeds.closeAll);

async function begin(words = 'Hello'): Promise<string> {
  return (await service.agentTurn(words)).body.conversation_id;
}

const LIST = `subscription ($after: String, $deploymentId: UUID, $status: ConversationStatus) {
  conversationsChanged(after: $after, deploymentId: $deploymentId, status: $status) {
    cursor conversationId conversation { name status messageCount } } }`;

describe('WIRE 13: conversationsChanged', () => {
  const list = async (variables: object = {}): Promise<Subscription> => {
    const stream = await feeds.open(service, LIST, variables, service.keys.live);
    return stream;
  };
  const moved = async (stream: Subscription) => (await stream.next()).data.conversationsChanged;

  it('tells of each conversation of the environment that is new or changes, of those behind the page alone', async () => {
    const before = await begin('before');
    const page = await service.graphql('{ conversations(first: 1) { nodes { conversationId } followCursor } }');
    const { nodes, followCursor } = page.body.data.conversations;
    expect(nodes).toEqual([{ conversationId: before }]);
    const id = await begin('after');
    const stream = await list({ after: followCursor });
    const first = await moved(stream);
    expect(first).toMatchObject({ conversationId: id, conversation: { name: 'after', messageCount: 2 } });
    await service.agentTurn('more', { conversation_id: before });
    let last = await moved(stream);
    while (last.conversation.messageCount < 4) last = await moved(stream);
    expect(last).toMatchObject({ conversationId: before });
    const resumed = await list({ after: first.cursor });
    expect((await moved(resumed)).conversationId).toBe(before);
  });

  it('tells of those of a deployment alone, and of active ones once more when they are completed', async () => {
    const config = { allowConversationCompletion: true };
    const { id: deploymentId } = await makeDeployment(service, config, { kind: 'agent' });
    const send = (text: string, fields = {}) =>
      service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
        body: { content: [{ type: 'text', text }], ...fields },
      });
    const active = await list({ deploymentId, status: 'active' });
    const completed = await list({ deploymentId, status: 'completed' });
    await begin('elsewhere');
    const { conversation_id } = (await send('Hello')).body;
    expect(await moved(active)).toMatchObject({ conversationId: conversation_id, conversation: { status: 'active' } });
    await send('/complete\n/say bye', { conversation_id });
    expect(await moved(completed)).toMatchObject({ conversationId: conversation_id });
    let last = await moved(active);
    while (last.conversation.status === 'active') last = await moved(active);
    expect(last.conversationId).toBe(conversation_id);
  });
});

const ACTIVITY = `subscription ($after: String) { workspaceActivity(after: $after) {
  cursor counters { running waiting turns failures } events { type } conversations { conversationId } } }`;

describe('WIRE 13: workspaceActivity', () => {
  it('tells counters at once, then events and conversations with each change, and resumes', async () => {
    const stream = await feeds.open(service, ACTIVITY, {}, service.keys.live);
    const next = async () => (await stream.next()).data.workspaceActivity;
    const first = await next();
    expect(first).toMatchObject({ events: [], conversations: [] });
    const id = await begin();
    await service.agentTurn('/fail', { conversation_id: id });
    await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    const seen = { events: [] as object[], conversations: new Set<string>(), counters: first.counters };
    while (seen.events.length === 0 || seen.counters.failures === first.counters.failures) {
      const activity = await next();
      seen.events.push(...activity.events);
      for (const { conversationId } of activity.conversations) seen.conversations.add(conversationId);
      seen.counters = activity.counters;
    }
    expect(seen.events).toEqual([{ type: 'resource.created' }]);
    expect([...seen.conversations]).toEqual([id]);
    expect(seen.counters).toMatchObject({ turns: first.counters.turns + 2, failures: first.counters.failures + 1 });
    const again = await feeds.open(service, ACTIVITY, { after: first.cursor }, service.keys.live);
    const { events, conversations } = (await again.next()).data.workspaceActivity;
    expect([events, conversations]).toEqual([[{ type: 'resource.created' }], [{ conversationId: id }]]);
  });

  it('asks for conversations:read, and for events:read where events are asked for', async () => {
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const withEvents = await feeds.open(service, ACTIVITY, {}, key);
    expect((await withEvents.next()).errors[0].extensions).toMatchObject({ required_scope: 'events:read' });
    const counters = 'subscription { workspaceActivity { counters { running } } }';
    const without = await feeds.open(service, counters, {}, key);
    expect((await without.next()).data.workspaceActivity.counters.running).toEqual(expect.any(Number));
    const { refused } = await subscribe(service, counters, {}, await makeKey(service, { scopes: ['events:read'] }));
    expect(refused).toBeDefined();
    if (refused) expectGraphqlError(refused, 'forbidden', { facts: { required_scope: 'conversations:read' } });
  });
});
