import { z } from 'zod';
import { Prisma } from '../../../db/generated/client.ts';
import { SELECT_VARIANT } from '../../../shapes/branches.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { heldClaim, underClaim } from '../../access/claimed-effect.ts';
import type { Context } from '../../context.ts';
import { type Forked, forkLine, recordedFork } from '../../conversations/fork-line.ts';
import { isLongLine } from '../../conversations/line-limits.ts';
import { requireEditing } from '../../conversations/may-edit.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import { superseded } from '../../conversations/superseded.ts';
import { IS_ACTIVE, LAST_ITEM, type PriorEffects } from '../../conversations/timeline.ts';
import { parseInput } from '../../input.ts';
import { publishedDeployment } from '../../workflows/deployments.ts';
import { isNotQueued } from '../accept/turn-rows.ts';
import { countFork, countTurn } from '../limits/turn-limits.ts';
import { supersededFrom } from './accept-branch.ts';
import { requireNoPersonAfter } from './answered-by-person.ts';
import { type BranchState, isIdle, onCurrentState, readBranchState } from './branch-state.ts';
import { effectsFrom, priorOf, requireAcknowledged } from './effects.ts';
import { findMessage, type LineMessage, readMessage } from './line-message.ts';

/** The conversation in which the variant is active now. */
export interface Selected extends Forked {
  /** Whether it is a new one. */
  readonly isFork: boolean;
}

const selection = z.object(rulesOf(SELECT_VARIANT.fields));

/**
 * Makes another variant of a message active. If the line goes on after the place of the message, the conversation stays as it
 * is, and a fork has the line with the variant.
 * @throws {ServiceError} invalid_request, not_found, forbidden, message_superseded, turn_has_effects, handling_conflict,
 * conversation_completed, client_action_required, run_in_progress, fork_too_large, rate_limited
 */
export async function selectVariant(ctx: Context, input: object): Promise<Selected> {
  const { conversationId, messageId, acknowledgeEffects } = parseInput(selection, input);
  const recorded = recordedFork(ctx);
  if (recorded) return { ...recorded, isFork: true };
  const { deploymentId } = await readBranchState(ctx, conversationId);
  const deployment = await publishedDeployment(ctx, deploymentId);
  requireEditing(ctx, deployment);
  await countTurn(ctx, deployment, conversationId);
  return onCurrentState(async () => {
    const state = await readBranchState(ctx, conversationId);
    const variant = await findMessage(ctx, conversationId, messageId);
    if (variant.supersededBy === null) return { conversationId, isFork: false };
    const place = await placeOf(ctx, conversationId, variant);
    if (!(await isIdle(ctx, state))) return undefined;
    if (place.continues || (await isLong(ctx, conversationId, place))) {
      await countFork(ctx, deployment, conversationId);
      const forked = await forkLine(ctx, deployment, {
        source: state,
        version: state.workflowVersion,
        items: lineWith(place),
        lastItemId: variant.id,
        moved: place.other ? undefined : { id: place.message.id, runId: place.runId },
      });
      return forked && { ...forked, isFork: true };
    }
    await requireNoPersonAfter(ctx, conversationId, place.from - 1n, 'messageId');
    const { effects, prior } = await effectsFrom(ctx, { conversationId, deploymentId }, place.message.id);
    requireAcknowledged(effects, acknowledgeEffects ?? false);
    const known = [place.other?.priorEffects, prior].filter((one) => one != null);
    return (await select(ctx, state, place, priorOf([], known))) ? { conversationId, isFork: false } : undefined;
  });
}

/** A place of the active line, and the variant that can be there. */
interface Place {
  /** The user's message that is active there. */
  readonly message: LineMessage;
  /** The user's message of the variant. Undefined: the variant is another reply to `message`. */
  readonly other: LineMessage | undefined;
  /** The run of the variant. */
  readonly runId: string;
  /** The first item that the variant replaces. */
  readonly from: bigint;
  /** The condition of the items that come with the variant. */
  readonly restored: Prisma.Sql;
  /** Whether the line has messages of the user after the place. */
  readonly continues: boolean;
}

const NO_PLACE =
  'The place of {param} is not in the active line, because an earlier message was replaced. Select the variant of that message first.';

/** @throws {ServiceError} message_superseded if the place is not in the active line */
async function placeOf(ctx: Context, conversationId: string, variant: LineMessage): Promise<Place> {
  const { runId, supersededBy } = variant;
  // A reply whose message was replaced too comes with its message.
  const other = await readMessage(ctx, conversationId, Prisma.sql`role = 'user' AND run_id = ${runId}::uuid`);
  const isThere = other ? Prisma.sql`variant_of = ${other.variantOf}::int8` : Prisma.sql`id = ${supersededBy}::int8`;
  const message = await readMessage(ctx, conversationId, Prisma.sql`role = 'user' AND ${IS_ACTIVE} AND ${isThere}`);
  if (!message || (other && other.supersededIn !== variant.supersededIn))
    throw superseded(supersededBy, 'messageId', NO_PLACE);
  const later = await readMessage(
    ctx,
    conversationId,
    Prisma.sql`role = 'user' AND ${IS_ACTIVE} AND id > ${message.id}`,
  );
  const base = { message, other, runId, continues: later !== undefined };
  return other
    ? { ...base, from: message.id, restored: Prisma.sql`superseded_in = ${variant.supersededIn}::int8` }
    : {
        ...base,
        from: message.id + 1n,
        restored: Prisma.sql`superseded_by = ${message.id} AND run_id = ${runId}::uuid`,
      };
}

/** Whether the change would write more items than one request can. */
async function isLong(ctx: Context, conversationId: string, { from, restored }: Place): Promise<boolean> {
  const replaced = Prisma.sql`${IS_ACTIVE} AND id >= ${from}`;
  return (await isLongLine(ctx, conversationId, replaced)) || isLongLine(ctx, conversationId, restored);
}

/** The items of the line with the variant. */
function lineWith({ from, restored }: Place): Prisma.Sql {
  return Prisma.sql`((${IS_ACTIVE} AND ${LAST_ITEM} < ${from}) OR ${restored})`;
}

/** Replaces the end of the line with the variant. False: the conversation changed after it was read. */
async function select(
  ctx: Context,
  { id, xid }: BranchState,
  { message, other, runId, from, restored }: Place,
  prior: PriorEffects | null,
): Promise<boolean> {
  const beginning = other?.id ?? message.id;
  const by = Prisma.sql`(SELECT ${beginning}::int8 FROM locked)`;
  const priorJson = Prisma.sql`${prior && JSON.stringify(prior)}::jsonb`;
  // A message of the user that stays is the start of the restored run again.
  const moved = other
    ? Prisma.sql`moved AS (SELECT 1)`
    : Prisma.sql`moved AS (
      UPDATE timeline_item SET run_id = ${runId}::uuid, prior_effects = ${priorJson}, revision = next_revision()
      FROM locked
      WHERE timeline_item.id = ${message.id} AND timeline_item.environment_id = ${ctx.environment.id}::uuid
    )`;
  const count = await underClaim(
    ctx.request.claim,
    () => ctx.sql.execute`
    WITH ${heldClaim(ctx.request.claim)}, locked AS (
      SELECT conversation.id FROM conversation, held
      WHERE conversation.id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND xid = ${xid}::xid8
        AND ${isNotQueued(ctx, id)}
      FOR NO KEY UPDATE OF conversation
    ), ${supersededFrom(ctx, { id, from, by })}, ${moved}, restored AS (
      UPDATE timeline_item
      SET superseded_by = NULL, superseded_in = NULL, revision = next_revision(),
          prior_effects = CASE WHEN timeline_item.id = ${beginning} THEN ${priorJson} ELSE prior_effects END
      FROM locked
      WHERE conversation_id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${restored}
      RETURNING timeline_item.id, kind, run_id
    )
    UPDATE conversation
    SET message_count = message_count + (SELECT count(*)::int4 FROM restored WHERE kind = 'message')
          - (SELECT count(*)::int4 FROM superseded WHERE kind = 'message'),
        latest_run_id = (SELECT run_id FROM restored WHERE kind <> 'summary' ORDER BY id DESC LIMIT 1), context_tokens = 0, counted_prompt = NULL
    FROM locked
    WHERE conversation.id = ${id}::uuid AND conversation.environment_id = ${ctx.environment.id}::uuid`,
  );
  if (count > 0) publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, id);
  return count > 0;
}
