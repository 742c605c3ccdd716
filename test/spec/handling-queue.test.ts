import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { makeBudget } from '../support/budgets.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { HANDS_OVER } from '../support/handling.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeMember } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

let talks: HandledTalks;
beforeAll(async () => {
  talks = await HandledTalks.start();
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

/** A conversation that waits for a person. */
async function waiting(): Promise<string> {
  talks.parts.provider.reply(...HANDS_OVER);
  return (await talks.parts.turn(talks.agent)).body.conversation_id;
}

const LIST = `query ($filter: ConversationFilter, $orderBy: ConversationOrder, $first: Int, $after: String, $last: Int) {
  conversations(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last) {
    nodes { conversationId } pageInfo { hasNextPage endCursor } totalCount } }`;
const LONGEST = { field: 'HANDLING_SINCE', direction: 'ASC' };
const WAITING = { handling: ['WAITING'] };

async function list(variables: object) {
  const { body } = await talks.parts.service.graphql(LIST, { orderBy: LONGEST, filter: WAITING, ...variables });
  expect(body.errors).toBeUndefined();
  const { nodes, ...page } = body.data.conversations;
  return { ...page, ids: nodes.map(({ conversationId }: { conversationId: string }) => conversationId) as string[] };
}

describe('the order by HANDLING_SINCE', () => {
  it('has those that have waited longest first, and each once although others move meanwhile', async () => {
    const ids = [await waiting(), await waiting(), await waiting(), await waiting(), await waiting()];
    expect((await list({})).ids).toEqual(ids);
    expect((await list({ orderBy: { ...LONGEST, direction: 'DESC' } })).ids).toEqual(ids.toReversed());
    expect((await list({ first: undefined, last: 2 })).ids).toEqual(ids.slice(-2));
    const first = await list({ first: 2 });
    expect([first.ids, first.totalCount]).toEqual([ids.slice(0, 2), 5]);
    // The second leaves the list, the third moves to its end, and another one comes.
    const [one = '', two = '', three = '', four, five] = ids;
    await talks.act(two, 'takeover');
    await talks.act(three, 'takeover');
    await talks.db.$executeRaw`
      UPDATE conversation SET handling = 'waiting', holder_id = NULL, handling_since = now() WHERE id = ${three}::uuid`;
    const six = await waiting();
    const second = await list({ first: 2, after: first.pageInfo.endCursor });
    const third = await list({ first: 2, after: second.pageInfo.endCursor });
    expect([...second.ids, ...third.ids]).toEqual([four, five, three, six]);
    expect([third.pageInfo.hasNextPage, (await list({})).ids]).toEqual([false, [one, four, five, three, six]]);
  });

  it('also sorts conversations that people have, with both modes', async () => {
    const id = await waiting();
    await talks.act(id, 'takeover');
    const { ids } = await list({ filter: { handling: ['WAITING', 'MEMBER'] } });
    expect(ids.at(-1)).toBe(id);
    expect((await list({ filter: { handling: ['MEMBER'] } })).ids).toContain(id);
  });

  it.each([[{}], [{ handling: ['ASSISTANT'] }], [{ handling: ['WAITING', 'ASSISTANT'] }]])(
    'is refused with the filter %j',
    async (filter) => {
      const { body } = await talks.parts.service.graphql(LIST, { orderBy: LONGEST, filter });
      const { code, param } = body.errors[0].extensions;
      expect([code, param]).toEqual(['INVALID_REQUEST', 'handling']);
      expect(body.errors[0].message).toContain('HANDLING_SINCE');
    },
  );

  it('works in REST too', async () => {
    const id = await waiting();
    const path = '/v1/conversations?order_by=handling_since&order=desc&limit=1';
    const { status, body } = await talks.parts.service.send('GET', `${path}&handling=waiting`);
    expect([status, body.data.map((one: { id: string }) => one.id)]).toEqual([200, [id]]);
    const refused = await talks.parts.service.send('GET', path);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'handling']);
  });

  it('reads only the index of conversations that the assistant does not have', async () => {
    const { prisma } = talks.parts.service.service.services.stores;
    const { environmentId } = await talks.conversation(await waiting());
    const [plan] = await prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
      await tx.$executeRaw`SET LOCAL enable_sort = off`;
      return tx.$queryRaw<Record<string, unknown>[]>`
        EXPLAIN (FORMAT JSON) SELECT c.id FROM conversation c
        WHERE c.environment_id = ${environmentId}::uuid AND c.handling = 'waiting'::handling_mode AND c.handling <> 'assistant'
        ORDER BY c.handling_since, c.id LIMIT 21`;
    });
    const text = JSON.stringify(plan);
    expect(text).toContain('conversation_handled');
    expect(text).not.toContain('"Sort"');
  });
});

describe('the counters of the activity', () => {
  it('count the conversations that wait for a person', async () => {
    const id = await waiting();
    const query = 'subscription { workspaceActivity { counters { waitingForPerson } } }';
    const stream = await subscribe(talks.parts.service, query, {}, talks.member);
    const next = async () => (await stream.next()).data.workspaceActivity.counters.waitingForPerson;
    const count = await talks.db.conversation.count({ where: { handling: 'waiting' } });
    expect(await next()).toBe(count);
    await talks.act(id, 'takeover');
    let counted = count;
    while (counted === count) counted = await next();
    expect(counted).toBe(count - 1);
    await stream.close();
  });
});

const ACTIONS = `query ($filter: PendingActionFilter) { pendingActions(filter: $filter) { nodes { callId kind } totalCount } }`;

async function actions(filter: object): Promise<[string, string][]> {
  const { body } = await talks.parts.service.graphql(ACTIONS, { filter });
  expect(body.errors).toBeUndefined();
  const { nodes, totalCount } = body.data.pendingActions;
  expect(nodes).toHaveLength(totalCount);
  return nodes.map(({ callId, kind }: { callId: string; kind: string }) => [callId, kind]);
}

describe('pendingActions', () => {
  it('finds what waits by its kind, and by the assignee of its conversation', async () => {
    const { service, provider } = talks.parts;
    await connect(service, { kind: 'http', name: 'Bank', url: 'http://127.0.0.1:9' });
    const approval = { mode: 'ALWAYS', approver: 'EITHER' };
    const action = { integration: 'Bank', url: '/charges', inputSchema: { type: 'object' }, name: 'charge', approval };
    const draft = { httpActions: [action], clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }] };
    const workflow = await publishScripted(service, workflowsOf(service), draft);
    const paused = async (name: string, args: object) => {
      provider.reply({ kind: 'answer', calls: [{ name, arguments: JSON.stringify(args) }] });
      const { body } = await workflow.turn('Go');
      return { id: body.conversation_id as string, callId: body.client_tool_calls[0].call_id as string };
    };
    const questions = [{ id: 'size', question: 'Which size?', input_type: 'text' }];
    const [asked, approved] = [await paused('ask_user', { questions }), await paused('charge', {})];
    const { environmentId } = await talks.conversation(asked.id);
    const budgeted = await talks.parts.agent({ maxReplyTokens: 256 });
    await makeBudget(talks.db, { environmentId, place: `deployment:${budgeted}`, amount: 200, onReached: 'pause' });
    const raised = (await talks.parts.turn(budgeted)).body.client_tool_calls[0].call_id;
    expect(await actions({ kinds: ['ANSWER'] })).toEqual([[asked.callId, 'ANSWER']]);
    expect(await actions({ kinds: ['APPROVAL'] })).toEqual([[approved.callId, 'APPROVAL']]);
    expect(await actions({ kinds: ['BUDGET'] })).toEqual([[raised, 'BUDGET']]);
    expect(await actions({ kinds: ['BUDGET', 'ANSWER'] })).toEqual([
      [asked.callId, 'ANSWER'],
      [raised, 'BUDGET'],
    ]);
    expect(await actions({ kinds: ['ANSWER', 'APPROVAL', 'BUDGET'] })).toHaveLength(3);
    const refused = await service.graphql(ACTIONS, { filter: { kinds: [] } });
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'INVALID_REQUEST', param: 'kinds' });

    const feed = `subscription ($filter: PendingActionFilter) { pendingActionsChanged(filter: $filter) { totalCount pendingActions { callId } } }`;
    const memberId = await makeMember(service, 'developer');
    const stream = await subscribe(service, feed, { filter: { assignee: memberId } }, talks.member);
    expect((await stream.next()).data.pendingActionsChanged.totalCount).toBe(0);
    const next = stream.next();
    const assign = 'mutation ($input: AssignConversationInput!) { assignConversation(input: $input) { __typename } }';
    await service.graphql(assign, { input: { conversationId: approved.id, memberId } });
    expect((await next).data.pendingActionsChanged).toEqual({
      totalCount: 1,
      pendingActions: [{ callId: approved.callId }],
    });
    await stream.close();
    expect(await actions({ assignee: memberId })).toEqual([[approved.callId, 'APPROVAL']]);
    expect(await actions({ isAssigned: true })).toEqual([[approved.callId, 'APPROVAL']]);
    expect(await actions({ isAssigned: false, kinds: ['ANSWER', 'APPROVAL'] })).toEqual([[asked.callId, 'ANSWER']]);
  });
});
