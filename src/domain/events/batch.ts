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

/** A literal condition for each part, so that the planner can use the partial indexes. */
const PARTS: Readonly<Record<CheckedFilter['part'], Prisma.Sql>> = {
  changes: Prisma.sql` AND conversation_id IS NULL`,
  runs: Prisma.sql` AND conversation_id IS NOT NULL`,
  all: Prisma.empty,
};

function filterOf({ part, types, resourceId, conversationId, deploymentId }: CheckedFilter): Prisma.Sql {
  return Prisma.join(
    [
      PARTS[part],
      ...(types ? [Prisma.sql` AND type = ANY(${[...types]}::text[])`] : []),
      ...(resourceId === null ? [] : [Prisma.sql` AND resource_id = ${resourceId}`]),
      ...(conversationId === null ? [] : [Prisma.sql` AND conversation_id = ${conversationId}::uuid`]),
      ...(deploymentId === null ? [] : [Prisma.sql` AND payload ->> 'deployment_id' = ${deploymentId}`]),
    ],
    '',
  );
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
