import type { ConversationStatus } from '../../../contract/statuses.ts';
import { NO_USAGE } from '../../../contract/token-usage.ts';
import type { Context } from '../../context.ts';
import type { AcceptedTurn, FinishedTurn, RecordedTurn } from '../turn.ts';

/** The result of a message that was only stored, because a person handles the conversation or it waits for one. */
export function handledTurn({ runId, conversation, model, acceptedAt, handledBy }: AcceptedTurn): FinishedTurn {
  const { id: conversationId, name, createdAt } = conversation;
  const times = { createdAt, updatedAt: acceptedAt };
  const state = { conversationStatus: 'active', completedAt: null } as const;
  return { ...EMPTY, ...state, ...times, runId, conversationId, name, model, handledBy };
}

const EMPTY = {
  outcome: 'finished',
  runStatus: 'completed',
  finishReason: null,
  content: '',
  responseTimeMs: 0,
  ...NO_USAGE,
} as const;

interface HandledRow {
  readonly handledBy: 'waiting' | 'member';
  readonly model: string;
  readonly updatedAt: Date;
  readonly name: string;
  readonly conversationStatus: ConversationStatus;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
}

/**
 * The same for an earlier attempt with the idempotency key of the request, whose process died. Undefined if the turn of that
 * attempt runs or ran.
 */
export async function handledBefore(
  ctx: Context,
  { conversationId, runId }: RecordedTurn,
): Promise<FinishedTurn | undefined> {
  const [row] = await ctx.sql.rows<HandledRow>`
    SELECT r.handled_by::text AS "handledBy", r.model, r.updated_at AS "updatedAt", c.name, c.status::text AS "conversationStatus",
           c.completed_at AS "completedAt", c.created_at AS "createdAt"
    FROM run r JOIN conversation c ON c.id = r.conversation_id AND c.environment_id = r.environment_id
    WHERE r.id = ${runId}::uuid AND r.environment_id = ${ctx.environment.id}::uuid AND r.handled_by IS NOT NULL`;
  return row && { ...EMPTY, ...row, runId, conversationId };
}
