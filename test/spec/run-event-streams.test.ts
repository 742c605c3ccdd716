import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CAPABLE, lookup } from '../support/agent-turns.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { lifecycleOf } from '../support/lifecycle.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { trackSubscriptions } from '../support/subscriptions.ts';
import { makeDeployment } from '../support/tenants.ts';

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

const make = async () =>
  (await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } })).body.data.id as string;

const FOLLOW = `subscription ($filter: RunEventFilter, $after: String) {
  runEvents(filter: $filter, after: $after) { cursor event { eventId type payload { json } run { runId } conversation { conversationId } trigger { triggerId } } } }`;

const PAGE = `query ($id: ID!, $first: Int) { conversation(id: $id) {
  runEvents(first: $first) { totalCount followCursor nodes { eventId type } }
  latestRun { runId events { followCursor nodes { type resourceId } } } } }`;

async function follow(variables: object = {}, key = service.keys.live) {
  const stream = await feeds.open(service, FOLLOW, variables, key);
  const next = async () => (await stream.next()).data.runEvents;
  return { stream, next };
}

describe('runEvents', () => {
  it('sends the lifecycle events when they are stored, with their objects, and no other event', async () => {
    const { next } = await follow();
    await make();
    const { id, runId } = await turn();
    const [started, completed] = [await next(), await next()];
    const stored = await lifecycleOf(service, id);
    expect([started.event.eventId, completed.event.eventId]).toEqual(stored.map((event) => event.id));
    expect(started.event).toMatchObject({
      type: 'RUN_STARTED',
      payload: { json: stored[0]?.payload },
      run: { runId },
      conversation: { conversationId: id },
      trigger: null,
    });
  });

  it('continues after a cursor without gap or repeat, while turns run', async () => {
    const { stream, next } = await follow();
    const turns = Array.from({ length: 8 }, () => turn());
    const received = [await next(), await next(), await next()];
    await stream.close();
    const ids = (await Promise.all(turns)).map(({ id }) => id);
    const resumed = await follow({ after: received.at(-1)?.cursor });
    while (received.length < 16) received.push(await resumed.next());
    const stored = (await Promise.all(ids.map((id) => lifecycleOf(service, id)))).flat();
    expect(received.map(({ event }) => event.eventId).sort()).toEqual(stored.map(({ id }) => id).sort());
    const { id } = await turn();
    expect((await resumed.next()).event.payload.json.conversation_id).toBe(id);
  });

  it('filters by conversation, deployment and types', async () => {
    const { id } = await turn();
    const other = await makeDeployment(service, {}, { kind: 'agent' });
    const ofConversation = await follow({ filter: { conversationId: id } });
    const ofDeployment = await follow({ filter: { deploymentId: other.id } });
    const pauses = await follow({ filter: { types: ['RUN_WAITING', 'RUN_FAILED'] } });
    await turn();
    const { body } = await service.send('POST', `/v2/runner/${other.id}/conversation`, {
      body: { content: [{ type: 'text', text: 'Hello' }] },
    });
    await turn(lookup('c1'), { conversation_id: id, ...CAPABLE });
    expect((await ofConversation.next()).event).toMatchObject({
      type: 'RUN_STARTED',
      payload: { json: { conversation_id: id } },
    });
    expect((await ofConversation.next()).event).toMatchObject({
      type: 'RUN_WAITING',
      payload: { json: { conversation_id: id } },
    });
    expect((await ofDeployment.next()).event.payload.json).toMatchObject({
      deployment_id: other.id,
      conversation_id: body.conversation_id,
    });
    expect((await pauses.next()).event).toMatchObject({
      type: 'RUN_WAITING',
      payload: { json: { conversation_id: id } },
    });
  });

  it('rejects types that are no lifecycle events, no types, and cursors of other filters', async () => {
    const wrong = [{ types: ['RESOURCE_CREATED'] }, { types: [] }];
    for (const filter of wrong) {
      const { rejection } = (await follow({ filter })).stream;
      expect(rejection).toBeDefined();
      if (rejection) expectGraphqlError(rejection, 'invalid_request', { param: 'types' });
    }
    const { id } = await turn();
    const { followCursor: after } = (await service.graphql(PAGE, { id })).body.data.conversation.runEvents;
    for (const filter of [{}, { conversationId: DEMO_AGENT_ID }, { conversationId: id, types: ['RUN_STARTED'] }]) {
      const { rejection } = (await follow({ filter, after })).stream;
      expect(rejection).toBeDefined();
      if (rejection) expectGraphqlError(rejection, 'invalid_cursor', { param: 'after' });
    }
  });

  it('continues after the page of a conversation', async () => {
    const { id } = await turn();
    const { runEvents } = (await service.graphql(PAGE, { id, first: 1 })).body.data.conversation;
    expect(runEvents).toMatchObject({ totalCount: 2, nodes: [{ type: 'RUN_COMPLETED' }] });
    const { next } = await follow({ filter: { conversationId: id }, after: runEvents.followCursor });
    const { runId } = await turn('More', { conversation_id: id });
    expect((await next()).event).toMatchObject({ type: 'RUN_STARTED', run: { runId } });
  });

  it('sends nothing of another environment', async () => {
    const { next } = await follow({}, service.keys.test);
    const { id } = await turn();
    const own = (
      await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
        key: service.keys.test,
        body: { content: [{ type: 'text', text: 'Hello' }] },
      })
    ).body.conversation_id;
    expect((await next()).event.payload.json.conversation_id).toBe(own);
    const page = await service.graphql(
      '{ events(filter: { include: [RUNS] }) { nodes { payload { json } } } }',
      {},
      {
        key: service.keys.test,
      },
    );
    expect(JSON.stringify(page.body)).not.toContain(id);
  });
});

describe('eventAppended', () => {
  const APPENDED =
    'subscription ($include: [EventInclude!]) { eventAppended(filter: { include: $include }) { event { type } } }';

  it('has lifecycle events only with include', async () => {
    const changes = await feeds.open(service, APPENDED, {}, service.keys.live);
    const all = await feeds.open(service, APPENDED, { include: ['RUNS'] }, service.keys.live);
    await turn();
    await make();
    const next = async (stream: typeof all) => (await stream.next()).data.eventAppended.event.type;
    expect([await next(all), await next(all), await next(all)]).toEqual([
      'RUN_STARTED',
      'RUN_COMPLETED',
      'RESOURCE_CREATED',
    ]);
    expect(await next(changes)).toBe('RESOURCE_CREATED');
  });
});
