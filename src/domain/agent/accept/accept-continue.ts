import { ServiceError } from '../../../contract/errors.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { heldClaim, underClaim } from '../../access/claimed-effect.ts';
import { ownedBy } from '../../access/reach.ts';
import type { CountedPrompt } from '../../budgets/spending.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { entriesOf, historyJson, type TimelineRow } from '../../conversations/timeline.ts';
import { withinRunLimit } from '../limits/turn-limits.ts';
import { acceptAfterAbandonedReply } from '../recovery/abandoned-reply.ts';
import type { AcceptedTurn } from '../turn.ts';
import { rejectTurn } from './reject-turn.ts';
import { waitForTurn } from './turn-queue.ts';
import {
  isFirstInQueue,
  isNotQueued,
  latestRunAfter,
  type NewTurn,
  newOrRepeatedMessage,
  recordTurn,
  runAndMessage,
} from './turn-rows.ts';

interface ContinueRow {
  id: string;
  name: string;
  status: string;
  variables: Record<string, string>;
  created_at: Date;
  context_tokens: number;
  counted_prompt: CountedPrompt | null;
  /** Null if the turn was not accepted. */
  message_id: bigint | null;
  /** Set if the message was stored for a person, and no turn runs. */
  handled_by: 'waiting' | 'member' | null;
  /** Null if the conversation changed after the statement's snapshot, or has the message already. */
  history: TimelineRow[] | null;
  /** Whether a message for a person was not stored, because the statement did not see the latest turn. */
  is_outdated: boolean;
}

/**
 * Accepts a turn of an existing conversation. If another turn is running, the deployment's double-text policy decides:
 * reject the message, queue it, or interrupt the running turn first.
 * @throws {ServiceError} not_found, conversation_completed, client_action_required, run_in_progress, unavailable
 */
export async function acceptContinue(ctx: Context, turn: NewTurn, conversationId: string): Promise<AcceptedTurn> {
  const take = async () => {
    const row = await takeConversation(ctx, turn, conversationId, false);
    return accepted(ctx, turn, row) ?? rejectTurn(ctx, row);
  };
  let taken = await take();
  while (!taken) taken = await take();
  if (!(taken instanceof ServiceError)) return taken;
  const policy = turn.deployment.doubleTextPolicy;
  if (taken.code !== 'run_in_progress') throw taken;
  if (policy === 'reject') return acceptAfterAbandonedReply(ctx, conversationId, take);
  return waitForTurn(ctx, { turn, conversationId }, async () => {
    const now = { ...turn, acceptedAt: ctx.now(), acceptedMs: ctx.services.process.monotonicMs() };
    const mine = await takeConversation(ctx, now, conversationId, true);
    return accepted(ctx, now, mine) ?? rejectTurn(ctx, mine);
  });
}

function accepted(ctx: Context, turn: NewTurn, row: ContinueRow): AcceptedTurn | undefined {
  const {
    id,
    name,
    variables,
    created_at: createdAt,
    context_tokens: contextTokens,
    counted_prompt: countedPrompt,
    message_id: messageId,
    handled_by: handledBy,
    history,
  } = row;
  if (messageId === null) return undefined;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, id);
  const entries = history && [...entriesOf(history), { ...turn.message, id: messageId }];
  return {
    ...turn,
    conversation: { id, name, variables, createdAt, contextTokens, countedPrompt },
    ...(entries && { entries }),
    ...(handledBy && { handledBy }),
  };
}

/** Tries again with a new snapshot until the statement sees the latest turn, if it stores the message for a person. */
async function takeConversation(
  ctx: Context,
  turn: NewTurn,
  conversationId: string,
  isQueued: boolean,
): Promise<ContinueRow> {
  for (;;) {
    const row = await tryConversation(ctx, turn, conversationId, isQueued);
    if (!row.is_outdated) return row;
  }
}

/**
 * One statement stores the message and the run, updates the conversation, and removes the queue entry. It also reads
 * the history for the model. If it had to wait for the lock, its snapshot is older than the lock, and it returns no
 * history. A message for a person is not stored then: no index guards the turn that `latest_run_id` must keep.
 */
export async function tryConversation(
  ctx: Context,
  turn: NewTurn,
  conversationId: string,
  isQueued: boolean,
): Promise<ContinueRow> {
  const seen = Prisma.sql`(SELECT xid FROM conversation WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid)`;
  const isCurrent = Prisma.sql`(locked.handling = 'assistant' OR locked.xid = ${seen})`;
  const isFree = isQueued ? isFirstInQueue(ctx, conversationId, turn.runId) : isNotQueued(ctx, conversationId);
  const store = (sql: Sql) => sql.rows<ContinueRow>`
    WITH ${heldClaim(ctx.request.claim)}, locked AS (
      SELECT id, environment_id, name, status, handling, variables, created_at, context_tokens, counted_prompt, latest_run_id, xid FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
        AND deployment_id = ${turn.deployment.id}::uuid${ownedBy(ctx.caller)}
      FOR NO KEY UPDATE
    ), ${runAndMessage(ctx, turn, Prisma.sql`${isCurrent} AND ${isFree}`, newOrRepeatedMessage(ctx))}, touched AS (
      UPDATE conversation
      SET message_count = message_count + (SELECT count(*)::int4 FROM added), latest_run_id = ${latestRunAfter(ctx)}, updated_at = ${turn.acceptedAt}
      FROM new_run
      WHERE conversation.id = ${conversationId}::uuid AND conversation.environment_id = ${ctx.environment.id}::uuid
    )${isQueued ? leftQueue(ctx, turn.runId) : Prisma.empty}${recordTurn(ctx, conversationId, turn.runId)}
    SELECT locked.id, locked.name, locked.status::text AS status, locked.variables, locked.created_at, locked.context_tokens, locked.counted_prompt,
           message.id AS message_id, (SELECT handled_by FROM new_run) AS handled_by, locked.handling <> 'assistant' AND seen.xid <> locked.xid AS is_outdated,
           CASE WHEN EXISTS (SELECT FROM added) AND seen.xid = locked.xid
             THEN ${historyJson(ctx, conversationId, turn.historyLimit)} END AS history
    FROM locked LEFT JOIN message ON true 
      LEFT JOIN conversation seen ON seen.id = ${conversationId}::uuid AND seen.environment_id = ${ctx.environment.id}::uuid`;
  const [row] = await underClaim(ctx.request.claim, () => withinRunLimit(ctx, turn.background, store));
  if (!row) throw conversationNotFound();
  return row;
}

const leftQueue = (ctx: Context, runId: string) => Prisma.sql`, left_queue AS (
      DELETE FROM queued_turn USING new_run
      WHERE queued_turn.run_id = ${runId}::uuid AND queued_turn.environment_id = ${ctx.environment.id}::uuid
    )`;
