import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import type { CheckedFilter } from './filter.ts';
import { advance, type LogPosition } from './position.ts';
import type { LoggedEvent } from './reads.ts';

/** Events read at a time: one may hold half a MiB, and a reader far behind must not fill the memory. */
const BATCH = 100;

/** An event, and the position of a reader who has it. */
export interface PlacedEvent {
  readonly event: LoggedEvent;
  readonly position: LogPosition;
}

/** The next events behind a position. */
export interface EventBatch {
  readonly events: readonly PlacedEvent[];
  /** Where to read on: behind the last event, or behind all that can have been missed where there is none. */
  readonly position: LogPosition;
  /** Whether there are events that wait for an older transaction to end. */
  readonly heldBack: boolean;
}

interface Row {
  xmin: string;
  id: string | null;
  type: string;
  resource_id: string;
  payload: unknown;
  occurred_at: Date;
  xid: string;
}

/**
 * Reads on in the one order that never changes, (transaction, id), up to the oldest transaction that is still open:
 * below it nothing can commit any more, so nobody is ever overtaken.
 */
export async function readBatch(ctx: Context, from: LogPosition, filter: CheckedFilter): Promise<EventBatch> {
  const rows = await ctx.db.$queryRaw<Row[]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin, found.id, found.type, found.resource_id,
           found.payload, found.occurred_at, found.xid::text AS xid
    FROM (SELECT 1) AS always LEFT JOIN LATERAL (
      SELECT id, type, resource_id, payload, occurred_at, xid FROM event
      WHERE environment_id = ${ctx.environment.id}::uuid
        AND (xid, id) > (${String(from.xid)}::xid8, ${from.id})${unseen(from)}${wanted(filter)}
      ORDER BY event.xid, event.id LIMIT ${BATCH}
    ) AS found ON true
    ORDER BY found.xid, found.id`;
  const xmin = BigInt(rows[0]?.xmin ?? 0);
  const found = rows.filter(({ id }) => id !== null);
  let position = from;
  const events = found
    .filter(({ xid }) => BigInt(xid) < xmin)
    .map((row) => {
      position = advance(position, BigInt(row.xid), row.id ?? '');
      return { event: eventOf(row), position };
    });
  const heldBack = events.length < found.length;
  // Nothing is left below xmin, so a filter that matches little does not read the same rows again and again.
  if (found.length < BATCH && xmin > position.xid) position = advance(position, xmin, '');
  return { events, position, heldBack };
}

function unseen({ snapshot }: LogPosition): Prisma.Sql {
  return snapshot === null ? Prisma.empty : Prisma.sql` AND NOT pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)`;
}

function wanted({ resourceId, types }: CheckedFilter): Prisma.Sql {
  const ofTypes = types ? Prisma.sql` AND type = ANY(${[...types]}::text[])` : Prisma.empty;
  return resourceId === null ? ofTypes : Prisma.sql`${ofTypes} AND resource_id = ${resourceId}`;
}

function eventOf({ id, type, resource_id: resourceId, payload, occurred_at: occurredAt }: Row): LoggedEvent {
  return { id: id ?? '', type, resourceId, payload, occurredAt };
}
