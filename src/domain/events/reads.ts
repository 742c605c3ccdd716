import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { withinPeriod } from '../period.ts';
import type { RelatedList } from '../related/page.ts';
import {
  type CheckedFilter,
  checkFilter,
  checkRunFilter,
  type EventListFilter,
  LIFECYCLE_SCOPE,
  partBinding,
} from './filter.ts';
import { type FollowablePage, readFollowablePage } from './followable-page.ts';
import { logSnapshot } from './order.ts';
import { type LogPosition, positionCodec, positionOfSnapshot } from './position.ts';

/** One entry of the log. It never changes. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly resourceId: string;
  readonly payload: unknown;
  readonly occurredAt: Date;
}

const COLUMNS = { id: true, type: true, resourceId: true, payload: true, occurredAt: true } as const;

/** The log, newest first. */
const EVENTS = newestFirst<LoggedEvent>('events', 'occurredAt');

/** The log of one resource or integration, newest first. */
export const RESOURCE_EVENTS: RelatedList<LoggedEvent> = {
  ...EVENTS,
  key: 'id',
  owner: 'environment_id',
  model: 'event',
  table: 'event',
  parent: [{ column: 'resource_id', field: 'resourceId', type: 'text' }],
  select: COLUMNS,
  filters: (resourceId) => [resourceId, null, null, null],
};

/** The lifecycle events of one run, newest first. */
export const RUN_EVENTS: RelatedList<LoggedEvent> = {
  ...RESOURCE_EVENTS,
  filters: (runId) => [runId, null, null, null, 'all', null, null],
};

type ConversationEvent = LoggedEvent & { readonly conversationId: string | null };

/** The lifecycle events of one conversation, newest first. */
export const CONVERSATION_EVENTS: RelatedList<ConversationEvent> = {
  ...newestFirst<ConversationEvent>('events', 'occurredAt'),
  key: 'id',
  owner: 'environment_id',
  model: 'event',
  table: 'event',
  parent: [{ column: 'conversation_id', field: 'conversationId', type: 'uuid' }],
  select: COLUMNS,
  filters: (conversationId) => [null, null, null, null, 'runs', conversationId, null],
};

/** @throws {ServiceError} not_found */
export async function findEvent(ctx: Context, id: string): Promise<LoggedEvent> {
  const [event] = await findEvents(ctx, [id]);
  if (event) return event;
  throw new ServiceError('not_found', 'There is no event with this ID in this environment. Check {param}.', {
    param: ['id'],
  });
}

/**
 * Finds the events with these IDs, in any order. Unknown and invalid IDs are ignored, and so are lifecycle events if the
 * caller lacks their scope.
 */
export async function findEvents(ctx: Context, ids: readonly string[]): Promise<LoggedEvent[]> {
  const validIds = ids.filter((id) => isTypeId('evt', id));
  if (validIds.length === 0) return [];
  const visible = ctx.caller.scopes.has(LIFECYCLE_SCOPE) ? {} : { conversationId: null };
  return ctx.db.event.findMany({ where: { id: { in: validIds }, ...visible }, select: COLUMNS });
}

/** A page of the log, with a cursor to follow the log from there. */
export type EventPage = FollowablePage<KeysetPage<LoggedEvent>>;

/**
 * Reads a page of the log. With `following` it also returns a cursor: a reader who follows from there gets every event
 * that is not in the page exactly once.
 * @throws {ServiceError} invalid_request, invalid_cursor
 */
export function listEvents(
  ctx: Context,
  args: PageArgs,
  filter: EventListFilter,
  how: ListOptions,
): Promise<EventPage> {
  return listLog(ctx, args, checkFilter(filter), filter, how);
}

/** Reads a page of the lifecycle events of a conversation. @throws {ServiceError} invalid_request, invalid_cursor */
export function listConversationEvents(
  ctx: Context,
  args: PageArgs,
  conversationId: string,
  how: ListOptions,
): Promise<EventPage> {
  return listLog(ctx, args, checkRunFilter({ conversationId }), {}, how);
}

interface ListOptions {
  /** Whether to return a cursor to follow the log from the page. */
  readonly following: boolean;
  readonly order?: ListOrder<'occurredAt'> | null | undefined;
}

function listLog(
  ctx: Context,
  args: PageArgs,
  checked: CheckedFilter,
  filter: Pick<EventListFilter, 'occurredAt'>,
  { following, order }: ListOptions,
): Promise<EventPage> {
  const occurredAt = withinPeriod('occurredAt', filter.occurredAt);
  const where = { ...conditionsOf(checked), ...(occurredAt && { occurredAt }) };
  const { resourceId, types } = checked;
  const filters = [
    ctx.environment.id,
    resourceId,
    types,
    occurredAt?.gte ?? null,
    occurredAt?.lt ?? null,
    ...partBinding(checked),
  ];
  const readPage = (db: Transaction) =>
    keysetPage(
      ordered(EVENTS, order),
      args,
      { secret: ctx.services.settings.secretKey, filters },
      {
        find: ({ where: bounds, orderBy, take }) =>
          db.event.findMany({ where: { AND: [where, ...bounds.AND] }, select: COLUMNS, orderBy, take }),
        count: () => ctx.db.event.count({ where }),
      },
    );
  return readFollowablePage(ctx, following, readPage, async (tx) =>
    positionCodec(ctx, checked).encode(await currentPosition(ctx, 'event', tx)),
  );
}

/** The position of a reader who has seen everything that the transaction sees. */
export async function currentPosition(
  { environment, db }: Pick<Context, 'environment' | 'db'>,
  table: 'event' | 'conversation',
  tx: Transaction = db,
): Promise<LogPosition> {
  const [row] = await tx.$queryRaw<{ snapshot: string }[]>`SELECT ${logSnapshot(environment, table)} AS snapshot`;
  return positionOfSnapshot(row?.snapshot ?? '');
}

function conditionsOf({ resourceId, types, part, conversationId }: CheckedFilter): Prisma.EventWhereInput {
  return {
    ...(resourceId !== null && { resourceId }),
    ...(types && { type: { in: [...types] } }),
    ...(part === 'changes' && { conversationId: null }),
    ...(conversationId !== null && { conversationId }),
  };
}
