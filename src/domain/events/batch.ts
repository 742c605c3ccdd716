import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import type { CheckedFilter } from './filter.ts';
import { type OrderedBatch, type OrderedRow, readInOrder } from './order.ts';
import type { LogPosition } from './position.ts';
import type { LoggedEvent } from './reads.ts';

/** A row of the event table. */
export interface EventRow extends OrderedRow {
  readonly type: string;
  readonly resource_id: string;
  readonly payload: unknown;
  readonly occurred_at: Date;
}

/** Reads the next events after a position. */
export function readBatch(
  ctx: Pick<Context, 'sql' | 'environment'>,
  from: LogPosition,
  filter: CheckedFilter,
): Promise<OrderedBatch<EventRow>> {
  return readInOrder<EventRow>(ctx, from, {
    table: 'event',
    columns: Prisma.sql`, type, resource_id, payload, occurred_at`,
    where: Prisma.sql`environment_id = ${ctx.environment.id}::uuid${filterOf(filter)}`,
    idType: 'text',
  });
}

function filterOf({ resourceId, types }: CheckedFilter): Prisma.Sql {
  const ofTypes = types ? Prisma.sql` AND type = ANY(${[...types]}::text[])` : Prisma.empty;
  return resourceId === null ? ofTypes : Prisma.sql`${ofTypes} AND resource_id = ${resourceId}`;
}

export function eventOf({
  id,
  type,
  resource_id: resourceId,
  payload,
  occurred_at: occurredAt,
}: EventRow): LoggedEvent {
  return { id: id ?? '', type, resourceId, payload, occurredAt };
}
