import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { findBoth, LIST, labels, type SearchService, startSearchService } from '../support/conversation-search.ts';
import { recountUsage } from '../support/conversation-usage.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import type { TestService } from '../support/service.ts';
import { makeKey, makeWorkspace } from '../support/tenants.ts';

let service: TestService;
let ids: SearchService['ids'];
let triggerId: string;

const prisma = () => service.service.services.stores.prisma;

beforeAll(async () => {
  ({ service, ids, triggerId } = await startSearchService());
});
afterAll(() => service.close());

const found = (filter: object, query: Readonly<Record<string, string>>) => findBoth(service, filter, query);

describe('the order', () => {
  const FIELDS = ['UPDATED_AT', 'CREATED_AT', 'MESSAGE_COUNT', 'RESPONSE_TIME_MS', 'COST'];
  const CASES = FIELDS.flatMap((field) => [[field, 'ASC'] as const, [field, 'DESC'] as const]);

  it.each(CASES)('sorts by %s %s, and its pages have every conversation once', async (field, direction) => {
    const { body } = await service.graphql(LIST, { orderBy: { field, direction }, first: 100 });
    const all = labels(body.data.conversations.nodes);
    expect(all).toHaveLength(9);
    const byTime = ['coffee', 'car', 'red', 'quotes', 'invoice', 'cyrillic', 'failed', 'asking', 'triggered'];
    const rising = { CREATED_AT: byTime, RESPONSE_TIME_MS: byTime }[field as string];
    if (rising) expect(direction === 'ASC' ? all : all.toReversed()).toEqual(rising);
    const paged: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page: HttpResponse['body'] = (
        await service.graphql(LIST, { orderBy: { field, direction }, first: 2, after })
      ).body;
      paged.push(...labels(page.data.conversations.nodes));
      ({ endCursor: after, hasNextPage: more } = page.data.conversations.pageInfo);
    }
    expect(paged).toEqual(all);
    const rest: string[] = [];
    const query = `limit=4&order_by=${field.toLowerCase()}&order=${direction.toLowerCase()}`;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: HttpResponse = await service.send(
        'GET',
        `/v1/conversations?${query}${cursor ? `&cursor=${cursor}` : ''}`,
      );
      rest.push(...labels(page.body.data));
      cursor = page.body.meta.nextCursor;
    }
    expect(rest).toEqual(all);
  });

  it('pages backward', async () => {
    const orderBy = { field: 'COST', direction: 'DESC' };
    const document = `query ($orderBy: ConversationOrder, $before: String) {
      conversations(orderBy: $orderBy, last: 2, before: $before) { nodes { meta } pageInfo { startCursor } } }`;
    const last = (await service.graphql(document, { orderBy })).body.data.conversations;
    const previous = (await service.graphql(document, { orderBy, before: last.pageInfo.startCursor })).body.data;
    const { body } = await service.graphql(LIST, { orderBy, first: 100 });
    const expected = labels(body.data.conversations.nodes).slice(-4);
    expect([...labels(previous.conversations.nodes), ...labels(last.nodes)]).toEqual(expected);
  });

  it('rejects a cursor of another order or filter', async () => {
    const { body } = await service.graphql(LIST, { first: 1, orderBy: { field: 'COST', direction: 'DESC' } });
    const after = body.data.conversations.pageInfo.endCursor;
    expectGraphqlError(await service.graphql(LIST, { after }), 'invalid_cursor', { param: 'after' });
    const orderBy = { field: 'COST', direction: 'DESC' };
    const other = await service.graphql(LIST, { after, orderBy, filter: { text: 'car' } });
    expectGraphqlError(other, 'invalid_cursor', { param: 'after' });
  });
});

describe('the totals', () => {
  const TOTALS = `query ($filter: ConversationFilter) { conversationTotals(filter: $filter) {
    conversations usage { turns failures inputTokens outputTokens responseTimeMs cost } } }`;

  it('add up the matching conversations on both APIs', async () => {
    const { body } = await service.graphql(TOTALS, { filter: { text: 'blue' } });
    const { conversations, usage } = body.data.conversationTotals;
    expect(conversations).toBe(2);
    // The conversation "car" has two turns.
    expect(usage).toMatchObject({
      turns: 3,
      failures: 0,
      inputTokens: usage.inputTokens,
      responseTimeMs: expect.any(Number),
    });
    const rest = await service.send('GET', '/v1/conversations/totals?text=blue');
    expect(rest.body).toEqual({
      conversations,
      usage: {
        turns: 3,
        failures: 0,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        response_time_ms: usage.responseTimeMs,
        cost: usage.cost,
      },
    });
    const { body: nothing } = await service.graphql(TOTALS, { filter: { text: 'unheard' } });
    expect(nothing.data.conversationTotals).toMatchObject({ conversations: 0, usage: { turns: 0, cost: '0' } });
    const { body: failed } = await service.graphql(TOTALS, { filter: { meta: { n: 'failed' } } });
    expect(failed.data.conversationTotals.usage).toMatchObject({ turns: 2, failures: 1, inputTokens: 14, cost: '14' });
  });

  it('have no cost if a model has no price', async () => {
    const id = ids.get('asking') ?? '';
    await prisma().workflowLog.updateMany({ where: { conversationId: id }, data: { model: 'unpriced' } });
    await recountUsage(prisma());
    const { body } = await service.graphql(TOTALS, {});
    expect(body.data.conversationTotals).toMatchObject({ conversations: 9, usage: { cost: null } });
    expect(await found({ cost: { min: 0 } }, { min_cost: '0' })).toHaveLength(8);
    await prisma().workflowLog.updateMany({ where: { conversationId: id }, data: { model: 'demo' } });
    await recountUsage(prisma());
  });
});

describe('access to the search', () => {
  it('keeps environments and workspaces apart for every filter', async () => {
    const another = await makeWorkspace(service);
    const id = ids.get('car');
    for (const key of [service.keys.test, another.keys.live]) {
      for (const filter of [
        { text: 'car' },
        { anyId: id },
        { anyId: triggerId },
        { meta: { n: 'car' } },
        { responseTimeMs: { min: 0 } },
      ]) {
        const { body } = await service.graphql(LIST, { filter }, { key });
        expect([filter, body.data.conversations]).toMatchObject([filter, { totalCount: 0, nodes: [] }]);
      }
      const totals = await service.send('GET', '/v1/conversations/totals?text=car', { key });
      expect(totals.body.conversations).toBe(0);
    }
  });

  it('hides usage from a key without workflows:read, in filters and orders too', async () => {
    const key = await makeKey(service, { scopes: ['conversations:read'] });
    const { body } = await service.graphql(LIST, { filter: { text: 'red' } }, { key });
    expect(body.data.conversations.nodes).toMatchObject([{ usage: null }]);
    const rest = await service.send('GET', '/v1/conversations?text=red', { key });
    expect([rest.status, rest.body.data[0].usage]).toEqual([200, null]);
    const totals = await service.send('GET', '/v1/conversations/totals', { key });
    expect(totals.body).toEqual({ conversations: 9, usage: null });
    const needing = ['min_response_time_ms=1', 'max_cost=1', 'order_by=cost', 'order_by=response_time_ms'];
    for (const query of needing) {
      const response = await service.send('GET', `/v1/conversations?${query}`, { key });
      expectError(response, 'forbidden', { facts: { required_scope: 'workflows:read' } });
    }
    for (const variables of [
      { filter: { cost: { min: 1 } } },
      { orderBy: { field: 'RESPONSE_TIME_MS', direction: 'ASC' } },
    ]) {
      expectGraphqlError(await service.graphql(LIST, variables, { key }), 'forbidden', {
        facts: { required_scope: 'workflows:read' },
      });
    }
  });
});
