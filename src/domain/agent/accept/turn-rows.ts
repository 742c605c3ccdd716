import { Prisma } from '../../../db/generated/client.ts';
import { effectCte } from '../../access/claimed-effect.ts';
import { shareOf } from '../../access/shares.ts';
import type { Context } from '../../context.ts';
import type { MessageEntry } from '../../conversations/timeline.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { fileIdsOf, recordUses } from '../../files/use.ts';
import type { AcceptedTurn, RecordedTurn } from '../turn.ts';

/** A turn that does not have its conversation yet. */
export interface NewTurn extends Omit<AcceptedTurn, 'conversation' | 'entries'> {
  /** The user's message. Its statement gives it an ID. */
  readonly message: Omit<MessageEntry, 'id'>;
  /** Whether the turn starts in the queue, because no client waits for it. */
  readonly background: boolean;
  /** Aborted when the client of a streamed reply disconnects. */
  readonly gone?: AbortSignal | undefined;
}

/** The condition that the assistant does not answer the messages of the conversation in `locked`. */
const IS_HANDLED = Prisma.sql`(locked.handling <> 'assistant')`;

/**
 * The latest run of a conversation after the run in `new_run`. A run that only keeps a message for a person does not replace
 * an active one, whose calls and end clients look for.
 */
export function latestRunAfter(ctx: Context): Prisma.Sql {
  return Prisma.sql`CASE WHEN new_run.handled_by IS NOT NULL AND EXISTS (
        SELECT FROM run active WHERE active.id = conversation.latest_run_id AND active.environment_id = ${ctx.environment.id}::uuid
          AND active.status IN ('running', 'waiting_for_client_action')
      ) THEN conversation.latest_run_id ELSE new_run.id END`;
}

/** The condition that no message of the conversation is queued. */
export function isNotQueued(ctx: Context, conversationId: string): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (
      SELECT 1 FROM queued_turn q
      WHERE q.conversation_id = ${conversationId}::uuid AND q.environment_id = ${ctx.environment.id}::uuid)`;
}

/** The condition that this queued message is the first of its conversation. */
export function isFirstInQueue(ctx: Context, conversationId: string, runId: string): Prisma.Sql {
  return Prisma.sql`${runId}::uuid = (
      SELECT q.run_id FROM queued_turn q
      WHERE q.conversation_id = ${conversationId}::uuid AND q.environment_id = ${ctx.environment.id}::uuid ORDER BY q.position LIMIT 1)`;
}

/**
 * Inserts the rows of a new turn for the conversation in `locked`, if `mayStart` holds. Needs `heldClaim`. A partial unique index allows
 * one active run per conversation. If there is one already, `new_run` and `message` are empty. While a person handles the
 * conversation, or it waits for one, the run ends here: it only keeps the message. `storing` is
 * the CTE `message`, which stores the content of `sent`.
 */
export function runAndMessage(
  ctx: Context,
  turn: NewTurn,
  mayStart: Prisma.Sql,
  storing: Prisma.Sql = NEW_MESSAGE,
): Prisma.Sql {
  const { message, background } = turn;
  return Prisma.sql`new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, lease_owner, lease_expires_at,
                       attempts_left, background, share_key, tools, history_limit, model, request_id, handled_by, accepted_at,
                       created_at, updated_at)
      SELECT ${turn.runId}::uuid, locked.environment_id, locked.id, ${turn.deployment.version}, ${turn.canPause},
             (CASE WHEN ${IS_HANDLED} THEN 'completed' ELSE 'running' END)::run_status, ${leaseUnlessHandled(ctx, background)}, ${turn.attemptsLeft}, ${background}, ${shareOf(ctx)},
             ${JSON.stringify(turn.tools)}::jsonb, ${turn.historyLimit}, ${turn.model}, ${ctx.request.id},
             CASE WHEN ${IS_HANDLED} THEN locked.handling END, ${turn.acceptedAt}, ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM locked, held WHERE locked.status = 'active' AND ${mayStart}
      ON CONFLICT DO NOTHING
      RETURNING id, environment_id, conversation_id, status, step, finish_reason, error_code, handled_by, created_at, updated_at
    ), ${runEvents('new_run', turn.deployment.id, { trigger_id: turn.triggerId })}, sent AS (
      SELECT ${JSON.stringify(message.content)}::jsonb AS content
    ), ${storing}${recordUses(ctx, fileIdsOf(message.content), 'conversation_id', { from: 'message', id: IN_CONVERSATION })}`;
}

const INSERT_MESSAGE = Prisma.sql`
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT new_run.environment_id, new_run.conversation_id, new_run.id, 'message', 0, 'user', sent.content,
             next_revision(), new_run.created_at
      FROM new_run, sent`;

const NEW_MESSAGE = Prisma.sql`message AS (${INSERT_MESSAGE} RETURNING id, conversation_id)`;

const LATEST_RUN = Prisma.sql`(SELECT latest_run_id FROM locked)`;

/**
 * Stores the message of a new run in an existing conversation. A client that repeats a message whose turn ended without a
 * reply gets one message, which moves to the new run; `added` is empty then. A later turn would have changed
 * `locked.latest_run_id`, which is current although the snapshot of the statement may be older.
 */
export const newOrRepeatedMessage = (ctx: Context) => Prisma.sql`repeated AS (
      UPDATE timeline_item SET run_id = new_run.id, revision = next_revision()
      FROM new_run, sent, run last
      WHERE last.id = ${LATEST_RUN} AND last.environment_id = ${ctx.environment.id}::uuid
        AND timeline_item.run_id = ${LATEST_RUN} AND timeline_item.environment_id = ${ctx.environment.id}::uuid
        AND kind = 'message' AND role = 'user' AND superseded_by IS NULL AND timeline_item.content = sent.content
        AND last.status IN ('failed', 'interrupted') AND new_run.handled_by IS NULL AND NOT EXISTS (
          SELECT FROM timeline_item other
          WHERE other.run_id = ${LATEST_RUN} AND other.environment_id = ${ctx.environment.id}::uuid AND other.id <> timeline_item.id
            AND other.kind <> 'summary')
      RETURNING timeline_item.id, timeline_item.conversation_id
    ), added AS (${INSERT_MESSAGE} WHERE NOT EXISTS (SELECT FROM repeated) RETURNING id, conversation_id), message AS (
      SELECT id, conversation_id FROM repeated UNION ALL SELECT id, conversation_id FROM added
    )`;

const IN_CONVERSATION = Prisma.sql`(SELECT conversation_id FROM message)`;

const NO_OWNER = Prisma.sql`NULL::uuid, NULL::timestamptz`;

/** The owner of a run and the end of its lease. A background run has no owner yet. */
export function leaseOf({ services }: Context, background: boolean): Prisma.Sql {
  const { owner, end } = services.stores.leases;
  return background ? NO_OWNER : Prisma.sql`${owner}::uuid, ${end}`;
}

/** The same, unless the run only keeps a message: it never has an owner. */
function leaseUnlessHandled({ services }: Context, background: boolean): Prisma.Sql {
  const { owner, end } = services.stores.leases;
  if (background) return NO_OWNER;
  return Prisma.sql`CASE WHEN NOT ${IS_HANDLED} THEN ${owner}::uuid END, CASE WHEN NOT ${IS_HANDLED} THEN ${end} END`;
}

/** Records the new turn with the idempotency key, in case the process dies before it responds. */
export function recordTurn(ctx: Context, conversationId: string, runId: string): Prisma.Sql {
  const effect = { conversationId, runId } satisfies RecordedTurn;
  return effectCte(ctx.request.claim, effect, 'new_run');
}
