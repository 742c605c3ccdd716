import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventTopic } from '../../src/domain/events/topic.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Subscription, subscribe, trackSubscriptions } from '../support/subscriptions.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

async function startConversation(message = 'Hello'): Promise<string> {
  return (await service.agentTurn(message)).body.conversation_id;
}

const LIST = `subscription ($after: String, $deploymentId: ID, $status: ConversationStatus) {
  conversationsChanged(after: $after, filter: { deploymentId: $deploymentId, status: $status }) {
    cursor conversationId conversation { name status messageCount } } }`;

describe('conversationsChanged', () => {
  const list = async (variables: object = {}): Promise<Subscription> => {
    const stream = await feeds.open(service, LIST, variables, service.keys.live);
    return stream;
  };
  const nextChange = async (stream: Subscription) => (await stream.next()).data.conversationsChanged;

  it("sends each new or changed conversation of the environment after the page's followCursor", async () => {
    const before = await startConversation('before');
    const page = await service.graphql('{ conversations(first: 1) { nodes { conversationId } followCursor } }');
    const { nodes, followCursor } = page.body.data.conversations;
    expect(nodes).toEqual([{ conversationId: before }]);
    const id = await startConversation('after');
    const stream = await list({ after: followCursor });
    const first = await nextChange(stream);
    expect(first).toMatchObject({ conversationId: id, conversation: { name: 'after', messageCount: 2 } });
    await service.agentTurn('more', { conversation_id: before });
    let last = await nextChange(stream);
    while (last.conversation.messageCount < 4) last = await nextChange(stream);
    expect(last).toMatchObject({ conversationId: before });
    const resumed = await list({ after: first.cursor });
    expect((await nextChange(resumed)).conversationId).toBe(before);
  });

  it('filters by deployment and status, and sends an active conversation once more when it is completed', async () => {
    const config = { allowConversationCompletion: true };
    const { id: deploymentId } = await makeDeployment(service, config, { kind: 'agent' });
    const send = (text: string, fields = {}) =>
      service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
        body: { content: [{ type: 'text', text }], ...fields },
      });
    const active = await list({ deploymentId, status: 'ACTIVE' });
    const completed = await list({ deploymentId, status: 'COMPLETED' });
    await startConversation('elsewhere');
    const { conversation_id } = (await send('Hello')).body;
    expect(await nextChange(active)).toMatchObject({
      conversationId: conversation_id,
      conversation: { status: 'ACTIVE' },
    });
    await send('/complete\n/say bye', { conversation_id });
    expect(await nextChange(completed)).toMatchObject({ conversationId: conversation_id });
    let last = await nextChange(active);
    while (last.conversation.status === 'ACTIVE') last = await nextChange(active);
    expect(last.conversationId).toBe(conversation_id);
  });
});

const ACTIVITY = `subscription ($after: String) { workspaceActivity(after: $after) {
  cursor counters { running waiting turns failures } events { type } conversations { conversationId } } }`;

describe('workspaceActivity', () => {
  it('sends counters at once, then events and conversations with each change, and resumes', async () => {
    const stream = await feeds.open(service, ACTIVITY, {}, service.keys.live);
    const next = async () => (await stream.next()).data.workspaceActivity;
    const first = await next();
    expect(first).toMatchObject({ events: [], conversations: [] });
    const id = await startConversation();
    await service.agentTurn('/fail', { conversation_id: id });
    await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    const received = { events: [] as object[], conversations: new Set<string>(), counters: first.counters };
    const isComplete = () =>
      received.events.length > 0 &&
      received.conversations.size > 0 &&
      received.counters.failures > first.counters.failures;
    // Each kind of change becomes visible on its own.
    while (!isComplete()) {
      const activity = await next();
      received.events.push(...activity.events);
      for (const { conversationId } of activity.conversations) received.conversations.add(conversationId);
      received.counters = activity.counters;
    }
    expect(received.events).toEqual([{ type: 'RESOURCE_CREATED' }]);
    expect([...received.conversations]).toEqual([id]);
    expect(received.counters).toMatchObject({ turns: first.counters.turns + 2, failures: first.counters.failures + 1 });
    const repeated = await feeds.open(service, ACTIVITY, { after: first.cursor }, service.keys.live);
    const { events, conversations } = (await repeated.next()).data.workspaceActivity;
    expect([events, conversations]).toEqual([[{ type: 'RESOURCE_CREATED' }], [{ conversationId: id }]]);
  });

  it('sends at most four events per second', async () => {
    const stream = await feeds.open(service, ACTIVITY, {}, service.keys.live);
    const next = async () => (await stream.next()).data.workspaceActivity;
    await next();
    const { prisma, pubSub } = service.service.services.stores;
    const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
    const begun = Date.now();
    // Faster than requests, so that the pace limits the feed.
    const write = async () => {
      for (let count = 0; count < 100; count += 1) {
        const event = { id: newTypeId('evt'), environmentId, type: 'resource.created', resourceId: 'r' };
        await prisma.event.create({ data: { ...event, payload: {}, occurredAt: new Date() } });
        pubSub.publish(eventTopic(environmentId));
      }
    };
    const written = write();
    let [messages, seen] = [0, 0];
    for (; seen < 100; messages += 1) seen += (await next()).events.length;
    await written;
    expect(seen).toBe(100);
    expect(messages).toBeLessThanOrEqual(Math.ceil((Date.now() - begun) / 250));
  });

  it('requires conversations:read, and events:read for the selection of events', async () => {
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const withEvents = await feeds.open(service, ACTIVITY, {}, key);
    expect((await withEvents.next()).errors[0].extensions).toMatchObject({ requiredScope: 'events:read' });
    const counters = 'subscription { workspaceActivity { counters { running } } }';
    const without = await feeds.open(service, counters, {}, key);
    expect((await without.next()).data.workspaceActivity.counters.running).toEqual(expect.any(Number));
    const { rejection: rejected } = await subscribe(
      service,
      counters,
      {},
      await makeKey(service, { scopes: ['events:read'] }),
    );
    expect(rejected).toBeDefined();
    if (rejected) expectGraphqlError(rejected, 'forbidden', { facts: { required_scope: 'conversations:read' } });
  });
});
