import type { MessageContent } from '../../contract/content.ts';
import type { CallKind, CallStatus, MessageRole } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';

interface EntryBase {
  readonly id: bigint;
  readonly runId: string;
  /** The model step of the run that created the item. 0 is the user's message. */
  readonly step: number;
  /** What the provider must get back with the calls of the step, encrypted, as base64. On the first item of a step. */
  readonly sealedMemory?: string | null;
}

export interface MessageEntry extends EntryBase {
  readonly kind: 'message';
  readonly role: MessageRole;
  readonly content: MessageContent;
}

export interface CallEntry extends EntryBase {
  readonly kind: CallKind;
  readonly callId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  /** Null until the call has an output. */
  readonly output: unknown;
  /** When a pending call expires. Null or missing: never. */
  readonly expiresAt?: Date | null;
}

/** A stored item that the model can see. */
export type TimelineEntry = MessageEntry | CallEntry;

/**
 * Reads the model's view of a turn: the current user message, the `historyLimit` user messages before it, and
 * everything after those, oldest first.
 * @param lastId leaves out the items after this one
 */
export async function recentTimeline(
  ctx: Context,
  conversationId: string,
  historyLimit: number,
  lastId?: bigint,
): Promise<TimelineEntry[]> {
  const rows = await ctx.sql.rows<TimelineRow>`${itemsSince(ctx, conversationId, historyLimit, lastId)}`;
  return rows.map(entryOf);
}

/**
 * The same as a subquery of the statement that stores the current message, as JSON for `entriesOf`. It reads the
 * statement's snapshot.
 */
export function historyJson(ctx: Context, conversationId: string, historyLimit: number): Prisma.Sql {
  if (historyLimit === 0) return Prisma.sql`'[]'::json`;
  return Prisma.sql`(
      SELECT coalesce(json_agg(item ORDER BY item.id), '[]') FROM (
        ${itemsSince(ctx, conversationId, historyLimit - 1)}
      ) AS item)`;
}

/** Converts the result of `historyJson`. */
export function entriesOf(rows: readonly TimelineRow[]): TimelineEntry[] {
  return rows.map(entryOf);
}

/**
 * The items from the user message that has `skipped` user messages after it, oldest first. All items if there are
 * fewer.
 */
function itemsSince(ctx: Context, conversationId: string, skipped: number, lastId?: bigint): Prisma.Sql {
  const notAfter = lastId === undefined ? Prisma.empty : Prisma.sql`AND id <= ${lastId}`;
  return Prisma.sql`
    SELECT id, run_id, step, kind::text AS kind, role::text AS role, content, call_id, name, arguments,
           status::text AS status, output, expires_at, encode(sealed_memory, 'base64') AS sealed_memory
    FROM timeline_item
    WHERE environment_id = ${ctx.environment.id}::uuid AND conversation_id = ${conversationId}::uuid
      AND kind <> 'conversation_completed' ${notAfter}
      AND id >= coalesce((
        SELECT id FROM timeline_item
        WHERE environment_id = ${ctx.environment.id}::uuid AND conversation_id = ${conversationId}::uuid
          AND kind = 'message' AND role = 'user' ${notAfter}
        ORDER BY id DESC OFFSET ${skipped} LIMIT 1), 0)
    ORDER BY id`;
}

/** A row of the timeline, or its JSON. */
export interface TimelineRow {
  id: bigint | number;
  run_id: string;
  step: number;
  kind: string;
  role: string | null;
  content: unknown;
  call_id: string | null;
  name: string | null;
  arguments: unknown;
  status: string | null;
  output: unknown;
  expires_at: Date | string | null;
  sealed_memory: string | null;
}

/** Database checks guarantee that a message has a role and content, and a call an ID, a name and a status. */
function entryOf(row: TimelineRow): TimelineEntry {
  const { step, sealed_memory: sealedMemory } = row;
  const base = { id: BigInt(row.id), runId: row.run_id, step, sealedMemory };
  if (row.kind === 'message') {
    return { ...base, kind: 'message', role: row.role as MessageRole, content: row.content as MessageContent };
  }
  return {
    ...base,
    kind: row.kind as CallKind,
    callId: row.call_id as string,
    name: row.name as string,
    arguments: row.arguments as CallEntry['arguments'],
    status: row.status as CallStatus,
    output: row.output,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  };
}
