import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import type { CheckedFilter } from './filter.ts';
import { type OrderedBatch, type OrderedRow, readInOrder } from './order.ts';
import type { LogPosition } from './position.ts';
import type { LoggedEvent } from './reads.ts';

/** An event as the log's table has it. */
export interface EventRow extends OrderedRow {
  readonly type: string;
  readonly resource_id: string;
  readonly payload: unknown;
  readonly occurred_at: Date;
}

/** The next events behind a position. */
export function readBatch(
  ctx: Pick<Context, 'services' | 'environment'>,
  from: LogPosition,
  filter: CheckedFilter,
): Promise<OrderedBatch<EventRow>> {
  return readInOrder<EventRow>(ctx, from, {
    table: 'event',
    columns: Prisma.sql`, type, resource_id, payload, occurred_at`,
    where: Prisma.sql`environment_id = ${ctx.environment.id}::uuid${wanted(filter)}`,
    idType: 'text',
  });
}

function wanted({ resourceId, types }: CheckedFilter): Prisma.Sql {
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
