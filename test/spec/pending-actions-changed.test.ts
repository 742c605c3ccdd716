import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { CAPABLE, lookup, pauseTurn, resume } from '../support/agent-turns.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe, trackSubscriptions } from '../support/subscriptions.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

async function paused() {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  return pauseTurn(service, id, lookup('c1'));
}

const CHANGES = `subscription ($after: String) { pendingActionsChanged(after: $after) {
  cursor totalCount conversationIds pendingActions { callId name } } }`;

describe('pendingActionsChanged', () => {
  const open = (variables: object = {}) => feeds.open(service, CHANGES, variables, service.keys.live);
  const next = async (stream: Awaited<ReturnType<typeof open>>) => (await stream.next()).data.pendingActionsChanged;

  /** The next event with a change. The first event can come before it, while an older transaction is open. */
  async function nextChange(stream: Awaited<ReturnType<typeof open>>) {
    for (;;) {
      const event = await next(stream);
      if (event.conversationIds.length > 0) return event;
    }
  }

  it('sends the count at once, then each call that appears or is answered, and resumes', async () => {
    const stream = await open();
    const first = await next(stream);
    expect(first).toMatchObject({ conversationIds: [], pendingActions: [] });
    // A turn without a call is not reported.
    await service.agentTurn('Hello');
    const { conversationId, callId } = await paused();
    const appeared = await next(stream);
    expect(appeared).toMatchObject({
      totalCount: first.totalCount + 1,
      conversationIds: [conversationId],
      pendingActions: [{ callId, name: 'lookup_customer' }],
    });
    await resume(service, { conversationId, callId }, { name: 'Ann' });
    const answered = await next(stream);
    expect(answered).toMatchObject({
      totalCount: first.totalCount,
      conversationIds: [conversationId],
      pendingActions: [],
    });
    const resumed = await nextChange(await open({ after: appeared.cursor }));
    expect(resumed).toMatchObject({ conversationIds: [conversationId], pendingActions: [] });
  });

  it('does not report an answered conversation again when it changes', async () => {
    const stream = await open();
    await next(stream);
    const { conversationId, callId } = await paused();
    expect((await next(stream)).pendingActions).toHaveLength(1);
    await resume(service, { conversationId, callId }, { name: 'Ann' });
    expect((await next(stream)).pendingActions).toEqual([]);
    await service.agentTurn('More', { conversation_id: conversationId });
    await pause(500);
    const other = await paused();
    expect((await next(stream)).conversationIds).toEqual([other.conversationId]);
  });

  it('does not report a deleted conversation', async () => {
    const { conversationId } = await paused();
    const stream = await open();
    const { totalCount } = await next(stream);
    const document = 'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }';
    await service.graphql(document, { id: conversationId });
    const other = await paused();
    expect(await nextChange(stream)).toMatchObject({ totalCount, conversationIds: [other.conversationId] });
  });

  it('sends at most four events per second', async () => {
    const stream = await open();
    await next(stream);
    const begun = Date.now();
    const ids = new Set<string>();
    const started = (async () => {
      for (let count = 0; count < 8; count += 1) ids.add((await paused()).conversationId);
    })();
    const seen = new Set<string>();
    let events = 0;
    while (seen.size < 8) {
      for (const id of (await next(stream)).conversationIds) seen.add(id);
      events += 1;
    }
    await started;
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(events).toBeLessThanOrEqual(Math.ceil((Date.now() - begun) / 250));
  });

  it("continues after a page's followCursor", async () => {
    const { body } = await service.graphql('{ pendingActions(first: 1) { followCursor } }');
    const { conversationId } = await paused();
    const stream = await open({ after: body.data.pendingActions.followCursor });
    expect((await nextChange(stream)).conversationIds).toEqual([conversationId]);
  });

  it('sends nothing to the other environment, whose cursors it rejects', async () => {
    const key = service.keys.test;
    const stream = await feeds.open(service, CHANGES, {}, key);
    const first = await next(stream);
    await paused();
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const content = [{ type: 'text', text: lookup('own') }];
    const { body } = await service.send('POST', path, { body: { content, ...CAPABLE }, key });
    const own = { conversationIds: [body.conversation_id], totalCount: first.totalCount + 1 };
    expect(await next(stream)).toMatchObject(own);
    const { rejection } = await subscribe(service, CHANGES, { after: first.cursor }, service.keys.live);
    expect(rejection?.body.errors[0].extensions.code).toBe('INVALID_CURSOR');
  });
});
