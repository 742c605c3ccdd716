import type { RunStatus } from '../../../contract/statuses.ts';
import { COMPLETION_TOOL } from '../../../contract/tool-names.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import type { CallEntry, MessageEntry } from '../../conversations/timeline.ts';
import type { Deadline } from '../../workflows/config.ts';
import type { AcceptedTurn } from '../turn.ts';
import { MOVED_RUN, sourcesOf } from './run-moves.ts';

// CTEs of the statements that change a run. Each statement commits completely or not at all.

/** Locks the conversation, then changes the run if this process still owns it. Otherwise `moved` is empty. */
export function lockAndMove(
  ctx: Context,
  turn: Pick<AcceptedTurn, 'conversation' | 'runId' | 'fence'>,
  change: Prisma.Sql,
  target: RunStatus,
): Prisma.Sql {
  return Prisma.sql`locked AS (
      SELECT id, environment_id FROM conversation
      WHERE id = ${turn.conversation.id}::uuid AND environment_id = ${ctx.environment.id}::uuid
      FOR NO KEY UPDATE
    ), moved AS (
      UPDATE run SET ${change}
      FROM locked
      WHERE run.id = ${turn.runId}::uuid AND run.conversation_id = locked.id
        AND run.environment_id = ${ctx.environment.id}::uuid AND run.fence = ${turn.fence}
        AND run.status = ANY (${sourcesOf(target)}::run_status[])
      RETURNING ${MOVED_RUN}
    )`;
}

/**
 * The conversation of the run in `moved`, by its whole key. Compared with a row of `moved` instead, a new database or a new
 * environment could read all conversations of the environment: their number is not known to the planner.
 */
export function conversationOfMoved(ctx: Context): Prisma.Sql {
  return Prisma.sql`conversation.id = (SELECT conversation_id FROM moved) AND conversation.environment_id = ${ctx.environment.id}::uuid`;
}

/** The items of the run in `moved`, in the same way. */
export function itemsOfMoved(ctx: Context): Prisma.Sql {
  return Prisma.sql`timeline_item.run_id = (SELECT id FROM moved) AND timeline_item.environment_id = ${ctx.environment.id}::uuid`;
}

/** A new timeline row: a message, a call, or the completion of the conversation. */
export type NewItem =
  | Pick<MessageEntry, 'kind' | 'role' | 'content'>
  | (Pick<CallEntry, 'kind' | 'callId' | 'name' | 'arguments' | 'status' | 'output'> & Deadline)
  | { readonly kind: 'conversation_completed' };

/** Returns the assistant's text as a row. An empty text gets no row. */
export function assistantMessages(text: string): NewItem[] {
  return text === '' ? [] : [{ kind: 'message', role: 'assistant', content: [{ type: 'text', text }] }];
}

/** Inserts rows into the timeline, in order. `stored` contains their IDs. The first row keeps the memory, as base64. */
export function insertItems(items: readonly NewItem[], step: number, at: Date, memory?: string): Prisma.Sql {
  const rows = items.map((item, position) => ({ position, ...item, ...(position === 0 && { memory }) }));
  return Prisma.sql`stored AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, role, content, call_id, name,
                                 arguments, status, output, expires_at, on_expiry, revision, created_at,
                                 sealed_memory)
      SELECT moved.environment_id, moved.conversation_id, moved.id, ${step}, row.kind, row.role, row.content,
             row."callId", row.name, row.arguments, row.status, row.output,
             now() + make_interval(secs => row."expiresAfterSeconds"), row."onExpiry", next_revision(), ${at},
             decode(row.memory, 'base64')
      FROM moved, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(
        position int, kind timeline_kind, role message_role, content jsonb, "callId" text, name text,
        arguments jsonb, status call_status, output jsonb, "expiresAfterSeconds" float8, "onExpiry" jsonb, memory text)
      ORDER BY row.position
      RETURNING id, expires_at
    )`;
}

/**
 * Decides on the open requests to complete the conversation. The applied one becomes `completed`, the others
 * `not_completed`.
 */
export function decideCompletions(ctx: Context, applied: string | null): Prisma.Sql {
  return Prisma.sql`decided AS (
      UPDATE timeline_item
      SET status = (CASE WHEN call_id = ${applied} THEN 'completed' ELSE 'not_completed' END)::call_status,
          revision = next_revision()
      FROM moved
      WHERE ${itemsOfMoved(ctx)} AND timeline_item.kind = 'tool' AND timeline_item.status = 'running'
        AND timeline_item.name = ${COMPLETION_TOOL}
    )`;
}

/**
 * Ends the open calls of a run that has ended. The outcome of its server tools is unknown, and the pending client tools
 * of the same step are cancelled.
 */
export function endOpenCalls(ctx: Context): Prisma.Sql {
  return Prisma.sql`ended AS (
      UPDATE timeline_item
      SET status = (CASE WHEN timeline_item.status = 'pending' THEN 'cancelled' ELSE 'failed' END)::call_status,
          revision = next_revision()
      FROM moved
      WHERE ${itemsOfMoved(ctx)} AND (timeline_item.status = 'pending' OR (
        timeline_item.kind IN ('tool', 'action') AND timeline_item.status = 'running'
        AND timeline_item.name <> ${COMPLETION_TOOL}))
    )`;
}
