import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATING_GROUPS, USAGE_GROUPS } from '../../src/contract/statuses.ts';
import type { Context } from '../../src/domain/context.ts';
import { conversationPage } from '../../src/domain/conversations/conversation-page.ts';
import { CONVERSATION_ORDER_FIELDS, type ConversationFilter } from '../../src/domain/conversations/filter.ts';
import { followConversations } from '../../src/domain/conversations/follow-list.ts';
import { followPendingCalls } from '../../src/domain/conversations/follow-pending-calls.ts';
import { firstConversations, listConversations } from '../../src/domain/conversations/list.ts';
import { listPendingCalls, type PendingCallFilter } from '../../src/domain/conversations/pending-calls.ts';
import { reportRatings } from '../../src/domain/conversations/rating-report.ts';
import { recentTimeline } from '../../src/domain/conversations/timeline.ts';
import { readBatch } from '../../src/domain/events/batch.ts';
import { reportHandOvers } from '../../src/domain/handling/report.ts';
import * as lists from '../../src/domain/related/lists.ts';
import { type RelatedList, relatedPage } from '../../src/domain/related/page.ts';
import { listResources } from '../../src/domain/resources/reads.ts';
import { reportUsage } from '../../src/domain/usage/report.ts';
import { type Callers, callersOf, combinations, contextOf } from '../support/explaining.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

const BOTH = [false, true] as const;
const ID = randomUUID();
const PERIOD = { from: new Date(Date.now() - 86_400_000), to: new Date() };

let service: TestService;
let callers: Callers;
beforeAll(async () => {
  service = await startService();
  callers = await callersOf(service.service.services);
});
afterAll(() => service.close());

const contextsOf = (...kinds: readonly (keyof Callers)[]): Context[] =>
  kinds.map((kind) => contextOf(service.service.services, callers[kind]));

const readsCost = ({ filter, field }: { readonly filter: ConversationFilter; readonly field: string }) =>
  'cost' in filter || field === 'cost';

/** The order by the time since when a person is needed is only for conversations that the assistant does not have. */
const hasOrder = ({ filter, field }: { readonly filter: ConversationFilter; readonly field: string }) =>
  field !== 'handling_since' || filter.handling?.[0] === 'waiting';

const mayReadCosts = ({ ctx }: { readonly ctx: Context }) => ctx.caller.kind === 'api_key';

/** Each condition alone, all together, and a list without conditions. */
function eachAndAll<Filter extends object>(filter: Filter): Partial<Filter>[] {
  const each = Object.entries(filter).map(([name, value]) => ({ [name]: value }) as Partial<Filter>);
  return [{}, ...each, filter];
}

describe('every composition of the statement', () => {
  it('that lists conversations, in each order, and their count', async () => {
    const filter = {
      deploymentId: DEMO_AGENT_ID,
      status: 'active',
      rating: 'up',
      meta: { key: 'value' },
      search: 'a',
      text: 'word',
      anyId: ID,
      workflowVersion: 1,
      errorCodes: ['model_error'],
      responseTimeMs: { min: 1, max: 2 },
      cost: { min: 1, max: 2 },
      createdAt: PERIOD,
      updatedAt: PERIOD,
      runStatuses: ['running'],
      handling: ['waiting'],
      assignee: ID,
      isAssigned: true,
    } as const satisfies Required<ConversationFilter>;
    const variants: ConversationFilter[] = [
      ...eachAndAll<ConversationFilter>(filter),
      { runStatuses: ['completed'] },
      { handling: ['assistant', 'member'] },
      { isAssigned: false },
      ...[{ min: 1 }, { max: 2 }].flatMap((range) => [{ responseTimeMs: range }, { cost: range }]),
      ...[{ from: PERIOD.from }, { to: PERIOD.to }].flatMap((period) => [{ createdAt: period }, { updatedAt: period }]),
    ];
    const requests = combinations({
      ctx: contextsOf('key', 'boundKey', 'endUser'),
      filter: variants,
      field: CONVERSATION_ORDER_FIELDS,
    });
    // A caller with a reach may not read costs.
    const valid = requests.filter((list) => (!readsCost(list) || mayReadCosts(list)) && hasOrder(list));
    for (const { ctx, filter: one, field } of valid) {
      const order = { field, direction: 'desc' } as const;
      const page = await listConversations(ctx, { first: 2 }, one, { query: {}, order });
      await page.totalCount();
      await firstConversations(ctx, one, order, 2);
    }
    // A selection of fields that are no columns is read by other statements.
    for (const { ctx, filter: one, query } of combinations({
      ctx: contextsOf('key', 'boundKey', 'endUser'),
      filter: variants,
      query: [{}, { select: { latestRun: true } }, { include: { deployment: true } }],
    }).filter((list) => !('cost' in list.filter) || mayReadCosts(list)))
      await conversationPage(ctx, { page: 1, pageSize: 2 }, one, query);
  });

  it('that lists waiting calls', async () => {
    const filter = {
      deploymentId: ID,
      conversationId: ID,
      name: 'tool',
      waitingSince: PERIOD,
      answerableBy: 'member',
      kinds: ['answer'],
      assignee: ID,
      isAssigned: true,
    } as const satisfies Required<PendingCallFilter>;
    const others: PendingCallFilter[] = [
      { answerableBy: 'client' },
      { kinds: ['approval', 'budget'] },
      { isAssigned: false },
    ];
    for (const ctx of contextsOf('key', 'boundKey', 'endUser'))
      for (const one of [...eachAndAll<PendingCallFilter>(filter), ...others]) {
        const page = await listPendingCalls(ctx, { first: 2 }, one, {
          order: null,
          following: false,
          cursorIn: (() => '') as never,
        });
        await page.totalCount();
        const followed = await followPendingCalls(ctx, { filter: one });
        // It comes at once, with the count.
        await followed.next();
        await followed.return?.();
      }
  });

  it('that reports usage, ratings and hand-overs', async () => {
    const [ctx] = contextsOf('key') as [Context];
    await reportHandOvers(ctx, { period: PERIOD });
    const groups = combinations({ day: BOTH, deployment: BOTH, model: BOTH, end_user: BOTH, version: BOTH });
    for (const by of groups)
      for (const deploymentId of [null, ID]) {
        const chosen = (name: string) => by[name as keyof typeof by];
        await reportRatings(ctx, { period: PERIOD, groupBy: RATING_GROUPS.filter(chosen), deploymentId });
        for (const endUser of [null, 'ada'])
          await reportUsage(ctx, { period: PERIOD, groupBy: USAGE_GROUPS.filter(chosen), deploymentId, endUser });
      }
  });

  it('that lists resources', async () => {
    const [ctx] = contextsOf('key') as [Context];
    const filter = { type: 'order', field: { name: 'id', value: 1 }, createdAt: PERIOD };
    for (const { type, field, from, to } of combinations({ type: BOTH, field: BOTH, from: BOTH, to: BOTH })) {
      const createdAt = { ...(from && { from: PERIOD.from }), ...(to && { to: PERIOD.to }) };
      const one = { ...(type && { type: filter.type }), ...(field && { field: filter.field }), createdAt };
      const page = await listResources(ctx, { first: 2 }, one);
      await page.totalCount();
    }
  });

  it('that reads the log of events, and of changed conversations', async () => {
    const [ctx] = contextsOf('key') as [Context];
    const values = {
      part: ['changes', 'runs', 'all'] as const,
      types: [null, ['resource.created']],
      resourceId: [null, 'res_none'],
      conversationId: [null, ID],
      deploymentId: [null, ID],
      snapshot: [null, '1:1:'],
    };
    for (const { snapshot, ...filter } of combinations(values))
      await readBatch(ctx, { xid: 0n, id: '', snapshot }, filter);
    for (const reader of contextsOf('key', 'boundKey', 'endUser'))
      for (const { status, deploymentId } of combinations({
        status: [null, 'active', 'completed'] as const,
        deploymentId: [null, DEMO_AGENT_ID],
      })) {
        const changes = await followConversations(reader, { filter: { status, deploymentId }, withMatches: true });
        const next = changes.next();
        await changes.return?.();
        await next;
      }
  });

  it('that reads the first rows of several parents', async () => {
    const [ctx] = contextsOf('key') as [Context];
    const related = Object.entries(lists).flatMap(([name, list]) =>
      'parent' in list ? [{ name, list: list as unknown as RelatedList<object> }] : [],
    );
    expect(related.length).toBeGreaterThan(10);
    const values = { uuid: [ID, randomUUID()], int4: [1, 2], text: ['one', 'two'] };
    for (const { name, list } of related) {
      const conditions = list.model === 'timelineItem' ? [undefined, lists.messagesOf('active')] : [undefined];
      for (const condition of conditions) {
        const parentAt = (index: number) =>
          list.parent.map(({ type }) => values[type as keyof typeof values][index]).join(':');
        const request = { args: { first: 2 }, field: `${name} ${condition !== undefined}`, query: {}, condition };
        const pages = await Promise.all([0, 1].map((index) => relatedPage(ctx, list, parentAt(index), request)));
        await Promise.all(pages.map((page) => page.totalCount()));
      }
    }
  });

  it('that reads the history for the model', async () => {
    const [ctx] = contextsOf('key') as [Context];
    for (const lastId of [undefined, 1n]) await recentTimeline(ctx, ID, 5, lastId);
  });
});
