import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { lookup, pauseTurn, resume } from '../support/agent-turns.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { createKey } from '../support/keys.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { type Subscription, subscribe, trackSubscriptions } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feeds = trackSubscriptions();
afterEach(feeds.closeAll);

const CHANGED = `subscription ($filter: ListedConversationFilter, $after: String) {
  conversationsChanged(filter: $filter, after: $after) { cursor conversationId matches } }`;
const LIST = 'query ($filter: ConversationFilter) { conversations(filter: $filter) { nodes { conversationId } } }';

describe('conversationsChanged with the filter of a list', () => {
  const follow = (filter: object | null, key = service.keys.live) => feeds.open(service, CHANGED, { filter }, key);

  /** Reads until the last change of a conversation says this. */
  async function untilMatches(stream: Subscription, id: string, expected: boolean): Promise<void> {
    for (;;) {
      const { conversationId, matches } = (await stream.next()).data.conversationsChanged;
      if (conversationId === id && matches === expected) return;
    }
  }

  const start = async (text: string): Promise<string> => (await service.agentTurn(text)).body.conversation_id;

  /** Follows the list, changes the conversation, and compares what the feed and the list say. */
  async function expectMoves(filter: object, id: string, change: () => Promise<unknown>, expected: boolean) {
    const stream = await follow(filter);
    await change();
    await untilMatches(stream, id, expected);
    const { body } = await service.graphql(LIST, { filter });
    const listed = body.data.conversations.nodes.map((node: { conversationId: string }) => node.conversationId);
    expect(listed.includes(id)).toBe(expected);
  }

  const rename = (conversationId: string, name: string) =>
    service.graphql(
      'mutation ($input: RenameConversationInput!) { renameConversation(input: $input) { __typename } }',
      { input: { conversationId, name } },
    );

  it('says that a conversation begins to match, and that it no longer matches', async () => {
    const id = await start('Hello');
    await expectMoves({ search: 'invoice' }, id, () => rename(id, 'The Invoice of Ann'), true);
    await expectMoves({ search: 'invoice' }, id, () => rename(id, 'Something else'), false);
  });

  it.each([
    ['the status of the latest run', { runStatuses: ['FAILED'] }],
    ['the error of a turn', { errorCodes: ['MODEL_ERROR'] }],
    ['the version of the workflow', { workflowVersion: 1, runStatuses: ['FAILED'] }],
    ['a response time', { responseTimeMs: { min: 0 }, runStatuses: ['FAILED'] }],
    ['a period', { updatedAt: { from: '2026-01-01T00:00:00Z' }, errorCodes: ['MODEL_ERROR'] }],
    ['several conditions', { status: 'ACTIVE', deploymentId: DEMO_AGENT_ID, errorCodes: ['MODEL_ERROR'] }],
  ])('compares %s like the list', async (_condition, filter) => {
    const id = await start('Hello');
    await expectMoves(filter, id, () => service.agentTurn('/fail', { conversation_id: id }), true);
  });

  it('compares the words of a message and of the name like the list', async () => {
    const id = await start('Hello');
    const write = () => service.agentTurn('Our grateful customer', { conversation_id: id });
    await expectMoves({ text: 'customer grateful' }, id, write, true);
    await expectMoves({ text: 'customer invoice' }, id, write, false);
    await expectMoves({ text: 'invoice' }, id, () => rename(id, 'An invoice'), true);
  });

  it('says that a completed conversation leaves the list of active ones', async () => {
    const stream = await follow({ status: 'ACTIVE' });
    const id = await start('/complete\n/say bye');
    await untilMatches(stream, id, false);
  });

  it('compares labels of chats, and reports no conversation of another deployment', async () => {
    const stream = await follow({ deploymentId: DEMO_CHAT_ID, meta: { plan: 'gold' } });
    await start('Elsewhere');
    const changed = async () => {
      const { conversationId, matches } = (await stream.next()).data.conversationsChanged;
      return [conversationId, matches];
    };
    const silver = (await service.chat('Hello', { meta: { plan: 'silver' } })).body.conversation_id;
    expect(await changed()).toEqual([silver, false]);
    const gold = (await service.chat('Hello', { meta: { plan: 'gold' } })).body.conversation_id;
    for (;;) {
      const [id, matches] = await changed();
      if (id === gold) return expect(matches).toBe(true);
    }
  });

  it('says that every conversation matches if there is no filter', async () => {
    const stream = await follow(null);
    const id = await start('Hello');
    await untilMatches(stream, id, true);
  });

  it('compares many changes in few statements', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => start('Hello')));
    const { body } = await service.graphql('{ conversations(first: 1) { followCursor } }');
    for (const id of ids) await rename(id, 'Batch');
    service.takeStatements();
    const variables = { filter: { search: 'batch' }, after: body.data.conversations.followCursor };
    const stream = await feeds.open(service, CHANGED, variables, service.keys.live);
    for (const _ of ids) expect((await stream.next()).data.conversationsChanged.matches).toBe(true);
    const comparisons = service.takeStatements().filter((sql) => sql.includes('ILIKE'));
    expect(comparisons.length).toBeLessThan(4);
  });

  it('requires the scopes of the list, and rejects the same filters', async () => {
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const { rejection } = await subscribe(service, CHANGED, { filter: { cost: { min: 1 } } }, key);
    expectGraphqlError(rejection as never, 'forbidden', { facts: { required_scope: 'workflows:read' } });
    for (const filter of [{ search: '' }, { text: '-word' }, { responseTimeMs: { min: 2, max: 1 } }]) {
      const feed = await subscribe(service, CHANGED, { filter }, service.keys.live);
      expectGraphqlError(feed.rejection as never, 'invalid_request');
    }
  });

  it('reports nothing out of the reach of a key that is bound to deployments', async () => {
    const { secret } = await createKey(service, { scopes: ['CONVERSATIONS_READ'], deploymentIds: [DEMO_CHAT_ID] });
    const stream = await follow({ search: 'reach' }, secret);
    await start('Out of reach');
    const id = (await service.chat('In reach')).body.conversation_id;
    expect((await stream.next()).data.conversationsChanged).toMatchObject({ conversationId: id, matches: true });
  });
});

const PENDING = `subscription ($filter: PendingActionFilter) { pendingActionsChanged(filter: $filter) {
  totalCount conversationIds pendingActions { callId } } }`;

describe('pendingActionsChanged with the filter of the list', () => {
  const paused = async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    return pauseTurn(service, id, lookup('c1'));
  };

  async function follow(filter: object | null, key = service.keys.live) {
    const stream = await feeds.open(service, PENDING, { filter }, key);
    const next = async () => (await stream.next()).data.pendingActionsChanged;
    return { next, first: await next() };
  }

  it('counts and has only calls that match', async () => {
    const waiting = await paused();
    const own = await follow({ conversationId: waiting.conversationId });
    const approvals = await follow({ name: 'approve_action' });
    const elsewhere = await follow({ deploymentId: DEMO_CHAT_ID });
    expect([own.first.totalCount, approvals.first.totalCount, elsewhere.first.totalCount]).toEqual([1, 0, 0]);
    const other = await paused();
    // The conversation is named, because a call of it could have been in the list.
    expect(await approvals.next()).toEqual({
      totalCount: 0,
      conversationIds: [other.conversationId],
      pendingActions: [],
    });
    await resume(service, waiting, { name: 'Ann' });
    let change = await own.next();
    while (!change.conversationIds.includes(waiting.conversationId)) change = await own.next();
    expect(change).toMatchObject({ totalCount: 0, pendingActions: [] });
    await resume(service, other, { name: 'Ann' });
  });

  it('has only calls in the reach of a key that is bound to deployments', async () => {
    const createBound = async (deploymentId: string) =>
      (await createKey(service, { scopes: ['CONVERSATIONS_READ'], deploymentIds: [deploymentId] })).secret;
    const [inside, outside] = [await createBound(DEMO_AGENT_ID), await createBound(DEMO_CHAT_ID)];
    const waiting = await paused();
    const [seen, hidden] = [await follow(null, inside), await follow(null, outside)];
    expect([seen.first.totalCount, hidden.first.totalCount]).toEqual([1, 0]);
    await resume(service, waiting, { name: 'Ann' });
    expect((await seen.next()).conversationIds).toEqual([waiting.conversationId]);
  });

  it('rejects the filters that the list rejects', async () => {
    const { rejection } = await subscribe(service, PENDING, { filter: { name: '' } }, service.keys.live);
    expectGraphqlError(rejection as never, 'invalid_request');
  });
});
