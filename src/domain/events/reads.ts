import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { checkListFilter, type EventListFilter } from './filter.ts';
import { type FollowedPage, followedPage } from './followed-page.ts';
import { positionCodec, positionOfSnapshot } from './position.ts';

/** One entry of the log (SPEC 2). It never changes. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly resourceId: string;
  readonly payload: unknown;
  readonly occurredAt: Date;
}

const COLUMNS = { id: true, type: true, resourceId: true, payload: true, occurredAt: true } as const;

/** The log, newest first (WIRE 5). */
const EVENTS = newestFirst<LoggedEvent>('events', 'occurredAt');

/** @throws {ServiceError} not_found */
export async function findEvent(ctx: Context, id: string): Promise<LoggedEvent> {
  const [found] = await findEvents(ctx, [id]);
  if (found) return found;
  throw new ServiceError('not_found', 'There is no event with this id here. Check {param}.', { param: ['id'] });
}

/** Those of these that there are, in any order. What is no id of an event names none. */
export async function findEvents(ctx: Context, ids: readonly string[]): Promise<LoggedEvent[]> {
  const possible = ids.filter((id) => isTypeId('evt', id));
  if (possible.length === 0) return [];
  return ctx.db.event.findMany({ where: { id: { in: possible } }, select: COLUMNS });
}

/** A page of the log. */
export type EventPage = FollowedPage<KeysetPage<LoggedEvent>>;

/**
 * A page of the log. With `following`, it is read together with the snapshot that saw it, so that whoever follows from
 * there is told of everything else once.
 * @throws {ServiceError} invalid_request, invalid_cursor
 */
export function listEvents(
  ctx: Context,
  args: PageArgs,
  filter: EventListFilter,
  { following }: { readonly following: boolean },
): Promise<EventPage> {
  const checked = checkListFilter(filter);
  const where = conditionsOf(checked);
  const { resourceId, types, from, to } = checked;
  const filters = [ctx.environment.id, resourceId, types, from, to];
  const readPage = (db: Transaction) =>
    keysetPage(
      EVENTS,
      args,
      { secret: ctx.services.secretKey, filters },
      {
        find: ({ where: bounds, orderBy, take }) =>
          db.event.findMany({ where: { AND: [where, ...bounds.AND] }, select: COLUMNS, orderBy, take }),
        count: () => ctx.db.event.count({ where }),
      },
    );
  return followedPage(ctx, following, readPage, async (tx) =>
    positionCodec(ctx, checked).encode(positionOfSnapshot(await currentSnapshot(tx))),
  );
}

/** Which transactions are over at this moment. */
export async function currentSnapshot(db: Transaction): Promise<string> {
  const [row] = await db.$queryRaw<{ snapshot: string }[]>`SELECT pg_current_snapshot()::text AS snapshot`;
  return row?.snapshot ?? '';
}

function conditionsOf({ resourceId, types, from, to }: ReturnType<typeof checkListFilter>): Prisma.EventWhereInput {
  return {
    ...(resourceId !== null && { resourceId }),
    ...(types && { type: { in: [...types] } }),
    ...((from || to) && { occurredAt: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
  };
}
