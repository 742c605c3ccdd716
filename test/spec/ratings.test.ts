import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { readHistory } from '../support/agent-turns.ts';
import { type Client, withCookies } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Reply {
  readonly conversationId: string;
  readonly question: number;
  readonly answer: number;
}

/** A conversation with one reply, and the IDs of its messages. */
async function reply(client: Client = service, deploymentId = DEMO_AGENT_ID): Promise<Reply> {
  const content = [{ type: 'text', text: 'Hello' }];
  const { body } = await client.send('POST', `/v2/runner/${deploymentId}/conversation`, { body: { content } });
  const conversationId: string = body.conversation_id;
  const { items } = (await client.send('GET', `/v1/runner/conversation/${conversationId}/messages`)).body;
  return { conversationId, question: items[0].id, answer: items[1].id };
}

const pathOf = ({ conversationId, answer }: Reply, id: number | string = answer) =>
  `/v1/runner/conversation/${conversationId}/messages/${id}/rating`;

const rate = (one: Reply, body: object, options: { readonly key?: string | null; readonly client?: Client } = {}) => {
  const { client = service, ...rest } = options;
  return client.send('PUT', pathOf(one), { body, ...rest });
};

const RATE = `mutation ($input: RateMessageInput!) { rateMessage(input: $input) { __typename
  ... on RateMessagePayload { reply { itemId rating { value comment ratedAt } } conversation { ratings { up down } } }
  ... on Error { code message path } } }`;

const byGraphql = (input: object, key?: string) => service.graphql(RATE, { input }, { ...(key && { key }) });

const messagesOf = async ({ conversationId }: Reply) =>
  (await service.send('GET', `/v1/runner/conversation/${conversationId}/messages`)).body.items;

describe('rating a reply', () => {
  it('stores the rating and shows it in the messages, the history and the export of both APIs', async () => {
    const one = await reply();
    const before = (await service.send('GET', '/v1/runner/conversations')).body.items[0];
    const { status, body } = await rate(one, { rating: 'down', comment: '  Too long \n' });
    const rating = { value: 'down', comment: 'Too long', rated_at: expect.stringMatching(/Z$/) };
    expect([status, body]).toEqual([
      200,
      { id: one.answer, role: 'assistant', rating, created_at: expect.any(String) },
    ]);
    const [question, answer] = await messagesOf(one);
    expect(question).not.toHaveProperty('rating');
    expect(answer.rating).toEqual(rating);
    const { items } = await readHistory(service, one.conversationId);
    expect(items.at(-1)).toMatchObject({ type: 'message', rating });
    const exported = await service.send('GET', `/v1/conversations/${one.conversationId}/export`);
    expect(exported.body).toContain('"rating":{"value":"down","comment":"Too long"');
    // A rating is no turn.
    const after = (await service.send('GET', '/v1/runner/conversations')).body.items[0];
    expect(after.updated_at).toBe(before.updated_at);
  });

  it('replaces the earlier rating with its comment, and null removes it', async () => {
    const one = await reply();
    await rate(one, { rating: 'up', comment: 'Good' });
    const messageId = String(one.answer);
    const { rateMessage: changed } = (
      await byGraphql({ conversationId: one.conversationId, messageId, rating: 'DOWN' })
    ).body.data;
    expect(changed.reply.rating).toMatchObject({ value: 'DOWN', comment: null });
    expect(changed.conversation.ratings).toEqual({ up: 0, down: 1 });
    expect((await rate(one, { rating: null })).body).not.toHaveProperty('rating');
    expect((await messagesOf(one))[1]).not.toHaveProperty('rating');
    const again = await byGraphql({ conversationId: one.conversationId, messageId, rating: null });
    expect(again.body.data.rateMessage.reply.rating).toBeNull();
  });

  it('accepts the ID of the history item and the global ID', async () => {
    const one = await reply();
    const { items } = await readHistory(service, one.conversationId);
    const itemId = items.at(-1)?.id ?? '';
    expect((await service.send('PUT', pathOf(one, itemId), { body: { rating: 'up' } })).status).toBe(200);
    const messageId = Buffer.from(`Message:${one.answer}`).toString('base64');
    const { body } = await byGraphql({ conversationId: one.conversationId, messageId, rating: 'DOWN' });
    expect(body.data.rateMessage.reply).toMatchObject({ itemId, rating: { value: 'DOWN' } });
  });

  it('rejects a rating that is missing, unknown or of a user message, and a comment without a rating', async () => {
    const one = await reply();
    expectError(await rate(one, { comment: 'Hm' }), 'invalid_request', { param: 'rating' });
    expectError(await rate(one, { rating: 'great' }), 'invalid_request', { param: 'rating' });
    expectError(await rate(one, { rating: null, comment: 'Hm' }), 'invalid_request', { param: 'comment' });
    const ofQuestion = await service.send('PUT', pathOf(one, one.question), { body: { rating: 'up' } });
    expectError(ofQuestion, 'invalid_request', { param: 'message_id' });
    expect((await messagesOf(one)).every((message: object) => !('rating' in message))).toBe(true);
  });

  it('is accepted in a completed conversation', async () => {
    const { id } = await makeDeployment(service, { allowConversationCompletion: true }, { kind: 'agent' });
    const one = await reply(service, id);
    const body = { conversation_id: one.conversationId, content: [{ type: 'text', text: '/complete\n/say bye' }] };
    const completed = await service.send('POST', `/v2/runner/${id}/conversation`, { body });
    expect(completed.body.conversation_status).toBe('completed');
    expect((await rate(one, { rating: 'up' })).body.rating.value).toBe('up');
  });

  it('finds only messages of the conversation', async () => {
    const [one, other] = [await reply(), await reply()];
    for (const id of [other.answer, 'x', '9'.repeat(30), 'item_']) {
      expectError(await service.send('PUT', pathOf(one, id), { body: { rating: 'up' } }), 'not_found');
    }
    expect((await messagesOf(other))[1]).not.toHaveProperty('rating');
  });

  it(`limits the comment to ${LIMITS.ratingCommentLength} characters`, async () => {
    const one = await reply();
    const comment = 'x'.repeat(LIMITS.ratingCommentLength);
    expect((await rate(one, { rating: 'up', comment })).body.rating.comment).toBe(comment);
    expectError(await rate(one, { rating: 'up', comment: `${comment}x` }), 'invalid_request', { param: 'comment' });
  });

  it('needs the scope conversations:write and the environment of the conversation', async () => {
    const one = await reply();
    const reader = await makeKey(service, { scopes: ['conversations:read'] });
    expectError(await rate(one, { rating: 'up' }, { key: reader }), 'forbidden', {
      facts: { required_scope: 'conversations:write' },
    });
    expectError(await rate(one, { rating: 'up' }, { key: service.keys.test }), 'not_found');
    expectError(await rate(one, { rating: 'up' }, { key: null }), 'unauthorized');
  });

  it('reports the change to subscribers of the conversation and of the list, but as no event of a turn', async () => {
    const one = await reply();
    const { followCursor } = (
      await service.graphql('query ($id: ID!) { conversation(id: $id) { history(last: 1) { followCursor } } }', {
        id: one.conversationId,
      })
    ).body.data.conversation.history;
    const changes = await subscribe(
      service,
      'subscription ($id: ID!, $after: String) { conversationChanged(conversationId: $id, after: $after) { conversation { ratings { up } } } }',
      { id: one.conversationId, after: followCursor },
      service.keys.live,
    );
    const turns = await subscribe(
      service,
      'subscription ($id: ID!, $after: String) { turnEvents(conversationId: $id, after: $after) { __typename } }',
      { id: one.conversationId, after: followCursor },
      service.keys.live,
    );
    const list = await subscribe(
      service,
      'subscription { conversationsChanged { conversationId conversation { ratings { up } } } }',
      {},
      service.keys.live,
    );
    await rate(one, { rating: 'up' });
    const changed = { conversationId: one.conversationId, conversation: { ratings: { up: 1 } } };
    expect((await list.next()).data.conversationsChanged).toEqual(changed);
    await list.close();
    let up = 0;
    while (up === 0) up = (await changes.next()).data.conversationChanged.conversation.ratings.up;
    expect(up).toBe(1);
    // Everything that the feed reports of the next turn comes after the rating.
    await service.agentTurn('More', { conversation_id: one.conversationId });
    const types: string[] = [];
    const hasEnded = () =>
      types.lastIndexOf('TurnEnded') > types.indexOf('TurnStarted') && types.includes('TurnStarted');
    while (!hasEnded()) types.push((await turns.next()).data.turnEvents.__typename);
    // A reader who comes from a page first gets the end of its turn.
    expect(types.slice(0, types.indexOf('TurnStarted'))).toEqual(['TurnEnded']);
    expect(types.filter((type) => type === 'TurnStarted')).toHaveLength(1);
    await Promise.all([changes.close(), turns.close()]);
  });
});

describe('a visitor of a hosted page', () => {
  async function visitorOf(fields: object = {}) {
    const { id } = await makeDeployment(service, {}, { kind: 'agent', hostedPage: true, ...fields });
    return { id, browser: withCookies(service, (await visit(service, id)).cookie) };
  }

  it('rates replies of conversations that it can continue, and no others', async () => {
    const { id, browser } = await visitorOf();
    const one = await reply(browser, id);
    expect((await rate(one, { rating: 'up' }, { client: browser })).body.rating.value).toBe('up');
    expectError(await rate(await reply(), { rating: 'up' }, { client: browser }), 'unauthorized');
    const other = await visitorOf();
    expectError(await rate(one, { rating: 'down' }, { client: other.browser }), 'unauthorized');
    expect((await messagesOf(one))[1].rating.value).toBe('up');
  });

  it(`sends ${RATE_LIMITS.anonymousRatings.points} ratings per minute and conversation`, async () => {
    const { id, browser } = await visitorOf();
    const one = await reply(browser, id);
    const { points } = RATE_LIMITS.anonymousRatings;
    const send = async () => (await rate(one, { rating: 'up' }, { client: browser })).status;
    const statuses = await Promise.all(Array.from({ length: points + 1 }, send));
    expect(statuses.filter((status) => status === 200)).toHaveLength(points);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    // Keys have their own limits.
    expect((await rate(one, { rating: 'up' })).status).toBe(200);
  });
});

describe('reading ratings', () => {
  const REPORT = `query ($period: ReportPeriodInput!, $groupBy: [RatingGroup!]!, $filter: RatingFilter) {
    ratings(period: $period, groupBy: $groupBy, filter: $filter) { day deploymentId workflowId version up down } }`;
  const report = async (groupBy: string[], deploymentId: string, [from, to] = [-1, 1], key?: string) => {
    const now = Date.now();
    const at = (days: number) => new Date(now + days * 86_400_000).toISOString();
    const variables = { period: { from: at(from as number), to: at(to as number) }, groupBy, filter: { deploymentId } };
    return (await service.graphql(REPORT, variables, { ...(key && { key }) })).body;
  };

  it('filters conversations by the rating of any reply', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent' });
    const [up, both, unrated] = [await reply(service, id), await reply(service, id), await reply(service, id)];
    await rate(up, { rating: 'up' });
    await rate(both, { rating: 'up' });
    const content = [{ type: 'text', text: 'More' }];
    const more = { conversation_id: both.conversationId, content };
    await service.send('POST', `/v2/runner/${id}/conversation`, { body: more });
    await rate({ ...both, answer: (await messagesOf(both))[3].id }, { rating: 'down' });
    const list = async (rating?: string) => {
      const { body } = await service.graphql(
        'query ($filter: ConversationFilter) { conversations(filter: $filter) { nodes { conversationId ratings { up down } } } }',
        { filter: { deploymentId: id, rating } },
      );
      return body.data.conversations.nodes;
    };
    const [first, second] = [
      { conversationId: both.conversationId, ratings: { up: 1, down: 1 } },
      { conversationId: up.conversationId, ratings: { up: 1, down: 0 } },
    ];
    expect(await list('UP')).toEqual([first, second]);
    expect(await list('DOWN')).toEqual([first]);
    const { body } = await service.send('GET', `/v1/conversations?rating=down&deployment_id=${id}`);
    expect(body.data).toMatchObject([{ conversation_id: both.conversationId }]);
    expect(await list()).toHaveLength(3);
    expect(unrated.conversationId).not.toBe(up.conversationId);
  });

  it('counts them by version, deployment and day', async () => {
    const { id, workflowId } = await makeDeployment(service, {}, { kind: 'agent' });
    const first = await reply(service, id);
    await rate(first, { rating: 'down' });
    const { prisma } = service.service.services.stores;
    const second = await reply(service, id);
    await prisma.run.updateMany({ where: { conversationId: second.conversationId }, data: { workflowVersion: 2 } });
    await rate(second, { rating: 'up' });
    const ungrouped = { day: null, deploymentId: null, workflowId: null, version: null };
    expect((await report(['VERSION'], id)).data.ratings).toEqual([
      { ...ungrouped, workflowId, version: 2, up: 1, down: 0 },
      { ...ungrouped, workflowId, version: 1, up: 0, down: 1 },
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await report(['DAY', 'DEPLOYMENT'], id)).data.ratings).toEqual([
      { ...ungrouped, day: today, deploymentId: id, up: 1, down: 1 },
    ]);
    expect((await report([], id, [-2, -1])).data.ratings).toEqual([]);
    expect((await report([], id, [-1, 1], service.keys.test)).data.ratings).toEqual([]);
    await service.graphql('mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }', {
      id: first.conversationId,
    });
    expect((await report([], id)).data.ratings).toMatchObject([{ up: 1, down: 0 }]);
  });

  it(`covers at most ${LIMITS.usageDays} days`, async () => {
    expect((await report([], DEMO_AGENT_ID, [1 - LIMITS.usageDays, 1])).errors).toBeUndefined();
    const tooLong = await service.graphql(REPORT, {
      period: { from: '2025-01-01T00:00:00Z', to: '2026-01-02T00:00:01Z' },
      groupBy: [],
    });
    expectGraphqlError(tooLong, 'invalid_request');
  });
});
