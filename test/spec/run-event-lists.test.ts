import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lifecycleOf, lifecycleTypes } from '../support/lifecycle.ts';
import { startService, type TestService } from '../support/service.ts';
import { trackSubscriptions } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

async function turn(script = 'Hello', fields: object = {}) {
  const { body } = await service.agentTurn(script, fields);
  return { id: body.conversation_id as string, runId: body.run_id as string };
}

const PAGE = `query ($id: ID!, $first: Int) { conversation(id: $id) {
  runEvents(first: $first) { totalCount followCursor nodes { eventId type } }
  latestRun { runId events { followCursor nodes { type resourceId } } } } }`;

describe('past lifecycle events in GraphQL', () => {
  it('Run.events has the events of one run, and its followCursor continues', async () => {
    const { id } = await turn();
    const { runId } = await turn('More', { conversation_id: id });
    const { latestRun, runEvents } = (await service.graphql(PAGE, { id })).body.data.conversation;
    expect(latestRun.events.nodes).toEqual([
      { type: 'RUN_COMPLETED', resourceId: runId },
      { type: 'RUN_STARTED', resourceId: runId },
    ]);
    expect(runEvents.totalCount).toBe(4);
    const stream = await feeds.open(
      service,
      'subscription ($id: ID, $after: String) { eventAppended(filter: { resourceId: $id, include: [RUNS] }, after: $after) { event { type } } }',
      { id: runId, after: latestRun.events.followCursor },
      service.keys.live,
    );
    expect(stream.rejection).toBeUndefined();
  });

  it('loads the events of several conversations with the same statements as of one', async () => {
    await turn();
    await turn();
    const read = async (first: number) => {
      service.takeStatements();
      const { body } = await service.graphql(
        `{ conversations(first: ${first}) { nodes { conversationId runEvents(first: 5) { nodes { type payload { json } } } } } }`,
      );
      return { nodes: body.data.conversations.nodes, count: service.takeStatements().length };
    };
    const [two, five] = [await read(2), await read(5)];
    expect(five.count).toBe(two.count);
    for (const { conversationId, runEvents } of five.nodes) {
      const types = await lifecycleTypes(service, conversationId);
      expect(runEvents.nodes).toHaveLength(types.length);
      for (const { payload } of runEvents.nodes) expect(payload.json.conversation_id).toBe(conversationId);
    }
  });

  it('are null for a caller without events:read', async () => {
    const { id } = await turn();
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const { body } = await service.graphql(
      'query ($id: ID!) { conversation(id: $id) { runEvents { totalCount } latestRun { events { totalCount } } } }',
      { id },
      { key },
    );
    expect(body.data.conversation).toEqual({ runEvents: null, latestRun: { events: null } });
  });
});

describe('runEvents of workspaceActivity', () => {
  const ACTIVITY = `subscription ($after: String) { workspaceActivity(after: $after) {
    cursor events { type } runEvents { eventId payload { json } } conversations { conversationId } } }`;

  it('has the newest lifecycle events of each message once, and continues after a cursor', async () => {
    const stream = await feeds.open(service, ACTIVITY, {}, service.keys.live);
    const next = async () => (await stream.next()).data.workspaceActivity;
    const first = await next();
    expect(first.runEvents).toEqual([]);
    await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    const { id } = await turn();
    const stored = (await lifecycleOf(service, id)).map((event) => event.id);
    const received: string[] = [];
    while (received.length < 2)
      received.push(...(await next()).runEvents.map((event: { eventId: string }) => event.eventId));
    expect(received).toEqual(stored);
    const again = await feeds.open(service, ACTIVITY, { after: first.cursor }, service.keys.live);
    const { runEvents, events } = (await again.next()).data.workspaceActivity;
    expect(runEvents.map((event: { eventId: string }) => event.eventId)).toEqual(stored);
    expect(events).toEqual([{ type: 'RESOURCE_CREATED' }]);
  });

  it('has at most 20', async () => {
    const stream = await feeds.open(service, ACTIVITY, {}, service.keys.live);
    const { cursor } = (await stream.next()).data.workspaceActivity;
    await stream.close();
    const all = await feeds.open(service, 'subscription { runEvents { event { eventId } } }', {}, service.keys.live);
    await Promise.all(Array.from({ length: 12 }, () => turn()));
    // A feed waits for older transactions. What one feed has sent waits no more, so the next feed sends it at once.
    for (let count = 0; count < 24; count += 1) await all.next();
    const again = await feeds.open(service, ACTIVITY, { after: cursor }, service.keys.live);
    expect((await again.next()).data.workspaceActivity.runEvents).toHaveLength(20);
  });
});
