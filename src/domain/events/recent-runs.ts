import type { Context } from '../context.ts';
import { type EventRow, eventOf } from './batch.ts';
import { unseen } from './order.ts';
import type { LogPosition } from './position.ts';
import type { LoggedEvent } from './reads.ts';

/** The most events that one message of the activity stream has. */
export const RECENT_RUN_EVENTS = 20;

/** A part of the log in the order of its readers. */
export interface LogRange {
  readonly after: LogPosition;
  readonly until: LogPosition;
}

/**
 * The newest lifecycle events of the transactions in a range, oldest first. Adjacent ranges have no transaction in common.
 * The positions can be those of another table, whose rows have other IDs.
 */
export async function recentRunEvents(ctx: Context, { after, until }: LogRange): Promise<LoggedEvent[]> {
  const [from, to] = [nextTransaction(after), nextTransaction(until)];
  if (from >= to) return [];
  const rows = await ctx.sql.rows<EventRow>`
    SELECT xid::text AS xid, id, type, resource_id, payload, occurred_at FROM event
    WHERE environment_id = ${ctx.environment.id}::uuid AND conversation_id IS NOT NULL
      AND xid >= ${String(from)}::xid8 AND xid < ${String(to)}::xid8${unseen(after)}
    ORDER BY event.xid DESC, event.id DESC LIMIT ${RECENT_RUN_EVENTS}`;
  return rows.reverse().map(eventOf);
}

/** The first transaction after a position. A position without an ID is before its transaction. */
function nextTransaction({ xid, id }: LogPosition): bigint {
  return id === '' ? xid : xid + 1n;
}
