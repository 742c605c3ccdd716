import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATING_GROUPS, USAGE_GROUPS } from '../../src/contract/statuses.ts';
import type { Context } from '../../src/domain/context.ts';
import { CONVERSATION_ORDER_FIELDS, type ConversationFilter } from '../../src/domain/conversations/filter.ts';
import { followConversations } from '../../src/domain/conversations/follow-list.ts';
import { listConversations } from '../../src/domain/conversations/list.ts';
import { listPendingCalls } from '../../src/domain/conversations/pending-calls.ts';
import { reportRatings } from '../../src/domain/conversations/rating-report.ts';
import { recentTimeline } from '../../src/domain/conversations/timeline.ts';
import { readBatch } from '../../src/domain/events/batch.ts';
import * as lists from '../../src/domain/related/lists.ts';
import { type RelatedList, relatedPage } from '../../src/domain/related/page.ts';
import { listResources } from '../../src/domain/resources/reads.ts';
import { reportUsage } from '../../src/domain/usage/report.ts';
import { ROOT } from '../support/database.ts';
import { type Callers, callersOf, combinations, contextOf } from '../support/explaining.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

const BOTH = [false, true] as const;
const ID = randomUUID();
const PERIOD = { from: new Date(Date.now() - 86_400_000), to: new Date() };

/**
 * Where the compositions of each file run: here, in `composed-writes`, or in the test of the feature, whose cases are all
 * combinations.
 */
const TESTS: Readonly<Record<string, string>> = {
  'db/keyset-sql.ts': 'db/composed-reads.test.ts',
  'domain/access/anonymous.ts': 'spec/access.test.ts',
  'domain/access/claimed-effect.ts': 'db/composed-writes.test.ts',
  'domain/access/credential-use.ts': 'spec/api-keys.test.ts',
  'domain/access/end-users/jwt-rules.ts': 'spec/end-user-jwts.test.ts',
  'domain/access/mail/outbox.ts': 'spec/mail-queue.test.ts',
  'domain/access/reach.ts': 'db/composed-reads.test.ts',
  'domain/access/second-factors/confirm.ts': 'spec/second-factors.test.ts',
  'domain/agent/accept/accept-continue.ts': 'db/composed-writes.test.ts',
  'domain/agent/accept/audit-answers.ts': 'db/composed-writes.test.ts',
  'domain/agent/accept/turn-rows.ts': 'db/composed-writes.test.ts',
  'domain/agent/queue/hand-over.ts': 'db/composed-writes.test.ts',
  'domain/agent/run/count-usage.ts': 'db/composed-writes.test.ts',
  'domain/agent/run/move-run.ts': 'db/composed-writes.test.ts',
  'domain/agent/run/workflow-log.ts': 'db/composed-writes.test.ts',
  'domain/agent/settle/settle.ts': 'db/composed-writes.test.ts',
  'domain/conversations/conditions.ts': 'db/composed-reads.test.ts',
  'domain/conversations/follow-list.ts': 'db/composed-reads.test.ts',
  'domain/conversations/pending-calls.ts': 'db/composed-reads.test.ts',
  'domain/conversations/positions.ts': 'db/composed-reads.test.ts',
  'domain/conversations/rating-report.ts': 'db/composed-reads.test.ts',
  'domain/conversations/timeline.ts': 'db/composed-reads.test.ts',
  'domain/events/batch.ts': 'db/composed-reads.test.ts',
  'domain/events/order.ts': 'db/composed-reads.test.ts',
  'domain/files/check-claim.ts': 'spec/lost-content.test.ts',
  'domain/files/use.ts': 'db/composed-writes.test.ts',
  'domain/related/page.ts': 'db/composed-reads.test.ts',
  'domain/resources/reads.ts': 'db/composed-reads.test.ts',
  'domain/usage/report.ts': 'db/composed-reads.test.ts',
};

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
    } as const satisfies Required<ConversationFilter>;
    const variants: ConversationFilter[] = [
      ...eachAndAll<ConversationFilter>(filter),
      { runStatuses: ['completed'] },
      ...[{ min: 1 }, { max: 2 }].flatMap((range) => [{ responseTimeMs: range }, { cost: range }]),
      ...[{ from: PERIOD.from }, { to: PERIOD.to }].flatMap((period) => [{ createdAt: period }, { updatedAt: period }]),
    ];
    const requests = combinations({
      ctx: contextsOf('key', 'boundKey', 'endUser'),
      filter: variants,
      field: CONVERSATION_ORDER_FIELDS,
    });
    // A caller with a reach may not read costs.
    for (const { ctx, filter: one, field } of requests.filter((list) => !readsCost(list) || mayReadCosts(list))) {
      const order = { field, direction: 'desc' } as const;
      const page = await listConversations(ctx, { first: 2 }, one, { query: {}, order });
      await page.totalCount();
    }
  });

  it('that lists waiting calls', async () => {
    const filter = {
      deploymentId: ID,
      conversationId: ID,
      name: 'tool',
      waitingSince: PERIOD,
      answerableBy: 'member',
    } as const;
    for (const ctx of contextsOf('key', 'boundKey', 'endUser'))
      for (const one of [...eachAndAll(filter), { answerableBy: 'client' as const }]) {
        const page = await listPendingCalls(ctx, { first: 2 }, one, {
          order: null,
          following: false,
          cursorIn: (() => '') as never,
        });
        await page.totalCount();
      }
  });

  it('that reports usage and ratings', async () => {
    const [ctx] = contextsOf('key') as [Context];
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
        const changes = await followConversations(reader, { status, deploymentId });
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
      const conditions = list.model === 'timelineItem' ? [undefined, lists.ONLY_MESSAGES] : [undefined];
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

it('every file that composes statements names the test that runs their compositions', () => {
  const source = join(ROOT, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^(db|domain)\/.*\.ts$/.test(path) && !path.startsWith('db/generated/'),
  );
  const composed = files.filter((path) =>
    /Prisma\.(empty|join\()|\?\s+(\w+ : )?Prisma\.sql/.test(readFileSync(join(source, path), 'utf8')),
  );
  expect(composed.sort()).toEqual(Object.keys(TESTS).sort());
  for (const test of Object.values(TESTS)) expect(() => readFileSync(join(ROOT, 'test', test)), test).not.toThrow();
});
