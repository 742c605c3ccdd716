import { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import { heldClaim, underClaim } from '../../access/claimed-effect.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { IS_ACTIVE, LAST_ITEM, type PriorEffects } from '../../conversations/timeline.ts';
import { isNotQueued, type NewTurn, recordTurn, runAndMessage } from '../accept/turn-rows.ts';
import { withinRunLimit } from '../limits/turn-limits.ts';
import type { AcceptedTurn } from '../turn.ts';
import type { BranchState } from './branch-state.ts';
import type { LineMessage } from './line-message.ts';

/** What the new turn replaces. */
export interface Replacement {
  readonly state: BranchState;
  /** The user's message: the new turn answers it again, or has another one at its place. */
  readonly message: LineMessage;
  readonly isEdit: boolean;
  readonly prior: PriorEffects | null;
}

/**
 * Replaces the end of the active line with a new turn, in one statement: the replaced items, the user's message and the run.
 * Undefined if the conversation changed after it was read, or another turn has begun.
 * @throws {ServiceError} rate_limited, unavailable
 */
export async function acceptBranch(
  ctx: Context,
  turn: NewTurn,
  { state, message, isEdit, prior }: Replacement,
): Promise<AcceptedTurn | undefined> {
  const { id } = state;
  const from = isEdit ? message.id : message.id + 1n;
  const priorJson = prior && JSON.stringify(prior);
  const storing = isEdit ? newMessage(message, priorJson) : sameMessage(ctx, message, priorJson);
  const store = (sql: Sql) => sql.rows<{ id: bigint }>`
    WITH ${heldClaim(ctx.request.claim)}, locked AS (
      SELECT id, environment_id, status, handling FROM conversation
      WHERE id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND xid = ${state.xid}::xid8
      FOR NO KEY UPDATE
    ), ${runAndMessage(ctx, turn, isNotQueued(ctx, id), storing)}, ${supersededFrom(ctx, { id, from, by: Prisma.sql`(SELECT id FROM message)` })}, touched AS (
      UPDATE conversation
      SET message_count = message_count + ${isEdit ? 1 : 0} - (SELECT count(*)::int4 FROM superseded WHERE kind = 'message'),
          latest_run_id = ${turn.runId}::uuid, context_tokens = 0, counted_prompt = NULL, updated_at = ${turn.acceptedAt}
      FROM new_run
      WHERE conversation.id = ${id}::uuid AND conversation.environment_id = ${ctx.environment.id}::uuid
    )${recordTurn(ctx, id, turn.runId)}
    SELECT id FROM message`;
  const [stored] = await underClaim(ctx.request.claim, () => withinRunLimit(ctx, turn.background, store));
  if (!stored) return undefined;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, id);
  const { name, variables, createdAt, contextTokens, countedPrompt } = state;
  return { ...turn, conversation: { id, name, variables, createdAt, contextTokens, countedPrompt } };
}

/** The edited message. It has the same place as the one that it replaces. */
function newMessage({ id, variantOf }: LineMessage, prior: string | null): Prisma.Sql {
  return Prisma.sql`message AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, variant_of,
                                 prior_effects, revision, created_at)
      SELECT new_run.environment_id, new_run.conversation_id, new_run.id, 'message', 0, 'user', sent.content,
             ${variantOf ?? id}::int8, ${prior}::jsonb, next_revision(), new_run.created_at
      FROM new_run, sent
      RETURNING id, conversation_id
    )`;
}

/** The message that is answered again. It moves to the new run, as a repeated message does. */
function sameMessage(ctx: Context, { id }: LineMessage, prior: string | null): Prisma.Sql {
  return Prisma.sql`message AS (
      UPDATE timeline_item SET run_id = new_run.id, prior_effects = ${prior}::jsonb, revision = next_revision()
      FROM new_run, sent
      WHERE timeline_item.id = ${id} AND timeline_item.environment_id = ${ctx.environment.id}::uuid
      RETURNING timeline_item.id, timeline_item.conversation_id
    )`;
}

interface Line {
  /** The ID of the conversation. */
  readonly id: string;
  readonly from: bigint;
  /** The ID of the message whose turn replaces the items. Null without such a message: nothing is replaced then. */
  readonly by: Prisma.Sql;
}

/**
 * Takes the items from `from` on out of the active line, as the CTE `superseded`, apart from hand-overs. A summary goes if it covers one of them. The
 * first item, if it is a message of the user, becomes a variant of its place.
 */
export function supersededFrom(ctx: Context, { id, from, by }: Line): Prisma.Sql {
  return Prisma.sql`change AS MATERIALIZED (SELECT next_revision() AS id), superseded AS (
      UPDATE timeline_item
      SET superseded_by = ${by}, superseded_in = (SELECT id FROM change), revision = next_revision(),
          variant_of = CASE WHEN timeline_item.id = ${from} AND role = 'user' THEN coalesce(variant_of, timeline_item.id) ELSE variant_of END
      WHERE conversation_id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${IS_ACTIVE}
        AND ${by} IS NOT NULL
        AND ${LAST_ITEM} >= ${from} AND kind <> 'handling'
        AND timeline_item.id IS DISTINCT FROM ${by}
      RETURNING kind
    )`;
}
