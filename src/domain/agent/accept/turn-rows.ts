import type { MessageContent } from '../../../contract/content.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { effectCte } from '../../access/claimed-effect.ts';
import { shareOf } from '../../access/shares.ts';
import type { Context } from '../../context.ts';
import type { MessageEntry } from '../../conversations/timeline.ts';
import type { TurnInput } from '../../conversations/turn-input.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { fileIdsOf, recordUses } from '../../files/use.ts';
import type { AppliedTrigger } from '../../triggers/apply.ts';
import type { PublishedDeployment } from '../../workflows/deployments.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { AcceptedTurn, RecordedTurn } from '../turn.ts';

export interface TurnRequest {
  readonly deployment: PublishedDeployment;
  readonly input: TurnInput & AppliedTrigger;
  /** Whether this is a v2 turn. */
  readonly agent: boolean;
  readonly tools: readonly OfferedTool[];
  /** Whether the turn starts in the queue, because no client waits for it. */
  readonly background: boolean;
  /** Aborted when the client of a streamed reply disconnects. */
  readonly gone?: AbortSignal | undefined;
}

/** A turn that does not have its conversation yet. */
export type NewTurn = Omit<AcceptedTurn, 'conversation' | 'entries'>;

/** The condition that no message of the conversation is queued. */
export const NO_QUEUED_TURN = Prisma.sql`NOT EXISTS (
      SELECT 1 FROM queued_turn q
      WHERE q.conversation_id = locked.id AND q.environment_id = locked.environment_id)`;

/** The condition that this queued message is the first of its conversation. */
export function isFirstInQueue(runId: string): Prisma.Sql {
  return Prisma.sql`${runId}::uuid = (
      SELECT q.run_id FROM queued_turn q
      WHERE q.conversation_id = locked.id AND q.environment_id = locked.environment_id ORDER BY q.position LIMIT 1)`;
}

/**
 * Inserts the rows of a new turn for the conversation in `locked`, if `mayStart` holds. Needs `heldClaim`. A partial unique index allows
 * one active run per conversation. If there is one already, `new_run` and `message` are empty. `message` comes from `storing`.
 */
export function runAndMessage(
  ctx: Context,
  { input, agent, background }: TurnRequest,
  turn: NewTurn,
  mayStart: Prisma.Sql,
  storing: (content: MessageContent, turn: NewTurn) => Prisma.Sql = newMessage,
): Prisma.Sql {
  return Prisma.sql`new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, lease_owner, lease_expires_at,
                       attempts_left, background, share_key, tools, history_limit, model, request_id, accepted_at, created_at,
                       updated_at)
      SELECT ${turn.runId}::uuid, locked.environment_id, locked.id, ${turn.deployment.version}, ${agent}, 'running',
             ${leaseOf(ctx, background)}, ${turn.attemptsLeft}, ${background}, ${shareOf(ctx)},
             ${JSON.stringify(turn.tools)}::jsonb, ${turn.historyLimit}, ${turn.model}, ${ctx.request.id},
             ${turn.acceptedAt}, ${turn.acceptedAt}, ${turn.acceptedAt}
      FROM locked, held WHERE locked.status = 'active' AND ${mayStart}
      ON CONFLICT DO NOTHING
      RETURNING id, environment_id, conversation_id, status, step, finish_reason, error_code, updated_at
    ), ${runEvents('new_run', turn.deployment.id, { trigger_id: turn.triggerId })}, ${storing(input.content, turn)}${recordUses(ctx, fileIdsOf(input.content), 'conversation_id', { from: 'message', id: IN_CONVERSATION })}`;
}

/** Stores the message of a new run. */
function newMessage(content: MessageContent, turn: NewTurn): Prisma.Sql {
  return Prisma.sql`message AS (${insertMessage(content, turn)} RETURNING id, conversation_id)`;
}

/**
 * Stores the message of a new run in an existing conversation. A client that repeats a message whose turn ended without a
 * reply gets one message, which moves to the new run; `added` is empty then. A later turn would have changed
 * `locked.latest_run_id`, which is current although the snapshot of the statement may be older.
 */
export function newOrRepeatedMessage(content: MessageContent, turn: NewTurn): Prisma.Sql {
  return Prisma.sql`repeated AS (
      UPDATE timeline_item SET run_id = new_run.id, revision = nextval('timeline_revision')
      FROM new_run, locked
      JOIN run last ON last.id = locked.latest_run_id AND last.environment_id = locked.environment_id
      WHERE timeline_item.run_id = last.id AND timeline_item.environment_id = locked.environment_id
        AND kind = 'message' AND role = 'user' AND content = ${JSON.stringify(content)}::jsonb
        AND last.status IN ('failed', 'interrupted') AND NOT EXISTS (
          SELECT FROM timeline_item other
          WHERE other.run_id = last.id AND other.environment_id = last.environment_id AND other.id <> timeline_item.id)
      RETURNING timeline_item.id, timeline_item.conversation_id
    ), added AS (${insertMessage(content, turn)} WHERE NOT EXISTS (SELECT FROM repeated) RETURNING id, conversation_id), message AS (
      SELECT id, conversation_id FROM repeated UNION ALL SELECT id, conversation_id FROM added
    )`;
}

function insertMessage(content: MessageContent, { acceptedAt }: NewTurn): Prisma.Sql {
  return Prisma.sql`
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT environment_id, conversation_id, id, 'message', 0, 'user', ${JSON.stringify(content)}::jsonb,
             nextval('timeline_revision'), ${acceptedAt}
      FROM new_run`;
}

const IN_CONVERSATION = Prisma.sql`(SELECT conversation_id FROM message)`;

/** The owner of a run and the end of its lease. A background run has no owner yet. */
export function leaseOf({ services: { leases } }: Context, background: boolean): Prisma.Sql {
  return background ? Prisma.sql`NULL::uuid, NULL::timestamptz` : Prisma.sql`${leases.owner}::uuid, ${leases.end}`;
}

/** The user's message as `runAndMessage` stored it. */
export function storedMessage({ input }: TurnRequest, { runId }: NewTurn, id: bigint): MessageEntry {
  return { id, runId, step: 0, kind: 'message', role: 'user', content: input.content };
}

/** Records the new turn under the idempotency key, in case the process dies before it responds. */
export function recordTurn(ctx: Context, conversationId: string, runId: string): Prisma.Sql {
  const effect = { conversationId, runId } satisfies RecordedTurn;
  return effectCte(ctx.request.claim, effect, 'new_run');
}
