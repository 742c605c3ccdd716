import { z } from 'zod';
import {
  DECISION_TOOLS,
  PENDING_ACTION_KINDS,
  type PendingActionKind,
  TOOL_OF_KIND,
} from '../../contract/client-tools.ts';
import type { CallAnswerer } from '../../contract/statuses.ts';
import { Prisma, type TimelineItem } from '../../db/generated/client.ts';
import { type Keyset, type ListOrder, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import { type Sql, sqlIn } from '../../db/sql.ts';
import { rulesOf } from '../../shapes/field.ts';
import { PENDING_ACTION_FILTER } from '../../shapes/pending-actions.ts';
import { conversationInReach, type Reach, reachOf } from '../access/reach.ts';
import type { Context } from '../context.ts';
import { readFollowablePage } from '../events/followable-page.ts';
import { parseInput } from '../input.ts';
import { type Period, withinPeriod } from '../period.ts';
import { type AssignmentFilter, assignmentConditions, requireAssignmentScope } from './assignment/filter.ts';
import { ITEM_FIELDS } from './rows.ts';

/** The waiting calls of an environment, those that have waited longest first. */
const PENDING: Keyset<TimelineItem> = {
  list: 'pending actions',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'bigint' },
  ],
  direction: 'asc',
};

/** The filter of the waiting calls. All conditions must hold. */
export interface PendingCallFilter extends AssignmentFilter {
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  /** The name of the tool. */
  readonly name?: string | null | undefined;
  /** The call asks for one of these. */
  readonly kinds?: readonly PendingActionKind[] | null | undefined;
  readonly answerableBy?: CallAnswerer | null | undefined;
  readonly waitingSince?: Period | null | undefined;
}

const { waitingSince, ...compared } = PENDING_ACTION_FILTER.fields;

const pendingCallFilter = z.object(rulesOf(compared));

/**
 * The FROM and WHERE of the calls that wait in waiting runs. The first three conditions are those of a partial index. A
 * call that is pending in a running run waits until the other tools of its step have ended. OFFSET keeps the planner from
 * reading all runs of the environment.
 */
export function pendingCallsOf(environmentId: string): Prisma.Sql {
  return Prisma.sql`
    FROM timeline_item
    WHERE environment_id = ${environmentId}::uuid AND kind = 'client_tool' AND status = 'pending'
      AND EXISTS (
        SELECT 1 FROM run
        WHERE run.id = timeline_item.run_id AND run.environment_id = timeline_item.environment_id AND run.status = 'waiting_for_client_action'
        OFFSET 0)`;
}

/** A checked filter, within the reach of the caller. */
interface CheckedFilter {
  /** What the cursors of a page belong to. */
  readonly binding: readonly unknown[];
  /** Empty, or the conditions after `AND`. */
  readonly conditions: Prisma.Sql;
}

/** @throws {ServiceError} invalid_request; forbidden if the filter compares the assignee, which the caller cannot read */
export function checkPendingCallFilter(
  { caller, environment }: Pick<Context, 'caller' | 'environment'>,
  filter: PendingCallFilter,
): CheckedFilter {
  const checked = parseInput(pendingCallFilter, filter);
  requireAssignmentScope(caller, checked);
  const period = withinPeriod('waitingSince', filter.waitingSince);
  const reach = reachOf(caller);
  return {
    binding: [checked, period?.gte ?? null, period?.lt ?? null, ...(reach ? [reach] : [])],
    conditions: conditionsOf(checked, { environment, period, reach }),
  };
}

/** A page of the calls that wait for an answer. With `following`, it has a cursor to follow them. */
export function listPendingCalls(
  ctx: Context,
  args: PageArgs,
  filter: PendingCallFilter,
  {
    order,
    following,
    cursorIn,
  }: {
    readonly order: ListOrder<'createdAt'> | null | undefined;
    readonly following: boolean;
    readonly cursorIn: Parameters<typeof readFollowablePage>[3];
  },
) {
  const { binding, conditions } = checkPendingCallFilter(ctx, filter);
  const filters = [ctx.environment.id, ...binding];
  const from = Prisma.sql`${pendingCallsOf(ctx.environment.id)}${conditions}`;
  const readPage = (sql: Sql): Promise<KeysetPage<TimelineItem>> =>
    keysetPage(
      ordered(PENDING, order),
      args,
      { secret: ctx.services.settings.secretKey, filters },
      {
        find: async ({ take }, keysetSql) => {
          const { bounds, order: by } = keysetSql();
          return sql.rows<TimelineItem>`SELECT ${ITEM_FIELDS} ${from} AND ${bounds} ORDER BY ${by} LIMIT ${take}`;
        },
        count: async () => {
          const [row] = await ctx.sql.rows<{ count: number }>`SELECT count(*)::int AS count ${from}`;
          return row?.count ?? 0;
        },
      },
    );
  return readFollowablePage(ctx, following, (db) => readPage(following ? sqlIn(db) : ctx.sql), cursorIn);
}

/** The calls that wait in these conversations and match, in the order of the list. */
export function pendingCallsIn(
  { sql, environment }: Pick<Context, 'sql' | 'environment'>,
  conversationIds: readonly string[],
  conditions: Prisma.Sql,
): Promise<TimelineItem[]> {
  return sql.rows<TimelineItem>`
    SELECT ${ITEM_FIELDS} ${pendingCallsOf(environment.id)}${conditions}
      AND conversation_id = ANY (${[...conversationIds]}::uuid[]) ORDER BY created_at, id`;
}

function conditionsOf(
  { deploymentId, conversationId, name, kinds, answerableBy, ...assignment }: PendingCallFilter,
  {
    environment,
    period,
    reach,
  }: {
    readonly environment: Context['environment'];
    readonly period: ReturnType<typeof withinPeriod>;
    readonly reach: Reach | undefined;
  },
): Prisma.Sql {
  const conditions = [
    ...(reach ? [inConversation(conversationInReach(reach))] : []),
    ...(deploymentId ? [inConversation(Prisma.sql`c.deployment_id = ${deploymentId}::uuid`)] : []),
    ...(conversationId ? [Prisma.sql`conversation_id = ${conversationId}::uuid`] : []),
    ...assignmentConditions(environment, assignment).map(inConversation),
    ...(name ? [Prisma.sql`name = ${name}`] : []),
    ...(kinds ? [isOfKind(kinds)] : []),
    ...(period?.gte ? [Prisma.sql`created_at >= ${period.gte}::timestamptz`] : []),
    ...(period?.lt ? [Prisma.sql`created_at < ${period.lt}::timestamptz`] : []),
    ...(answerableBy ? [hasNoApprovalFor(answerableBy === 'client' ? 'member' : 'client')] : []),
  ];
  return conditions.length === 0 ? Prisma.empty : Prisma.sql` AND ${Prisma.join(conditions, ' AND ')}`;
}

/** Every tool that asks for nothing else asks for an answer. */
function isOfKind(kinds: readonly PendingActionKind[]): Prisma.Sql {
  const others = PENDING_ACTION_KINDS.filter((kind) => !kinds.includes(kind));
  const isAnswer = kinds.includes('answer');
  const tools = (isAnswer ? others : kinds).flatMap((kind) => (kind === 'answer' ? [] : TOOL_OF_KIND[kind]));
  return isAnswer ? Prisma.sql`name <> ALL (${tools})` : Prisma.sql`name = ANY (${tools})`;
}

function inConversation(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT 1 FROM conversation c
    WHERE c.id = timeline_item.conversation_id AND c.environment_id = timeline_item.environment_id AND ${condition})`;
}

/** All calls of a step are answered together. So one decision that only `approver` can give decides for all of them. */
function hasNoApprovalFor(approver: CallAnswerer): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (
    SELECT 1 FROM timeline_item AS approval
    WHERE approval.run_id = timeline_item.run_id AND approval.environment_id = timeline_item.environment_id
      AND approval.kind = 'client_tool' AND approval.status = 'pending' AND approval.name = ANY (${DECISION_TOOLS}) AND approval.arguments ->> 'approver' = ${approver})`;
}
