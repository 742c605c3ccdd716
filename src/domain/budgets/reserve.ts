import { LIMITS } from '../../contract/limits.ts';
import type { BudgetPeriod, BudgetReachedPolicy, BudgetUnit } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import { ownedBy } from '../access/reach.ts';
import { isVisitorsShare } from '../access/shares.ts';
import type { Context } from '../context.ts';
import { eventTopic } from '../events/topic.ts';
import type { Deadline } from '../workflows/config.ts';
import { ceilingSql, type SpentTokens, type StepCeiling, spentSql } from './budget-cost.ts';
import { isInForce } from './default-budgets.ts';
import { budgetEvents, heldBudgets } from './held-budgets.ts';
import {
  conversationPlace,
  deploymentPlace,
  endUserAtPlace,
  endUserPlace,
  environmentPlace,
  runPlace,
  visitorsPlace,
} from './places.ts';
import type { SpendingPlace } from './spending-place.ts';

/** Work with a reservation. */
export interface Reserver {
  readonly workId: string;
  /** The fence of its run. Null: it has no run. */
  readonly fence: number | null;
  /** Until then the reservation holds without a look at a run: SQL. */
  readonly until: Prisma.Sql;
  /** What it has spent since its last statement. */
  readonly unstored: readonly SpentTokens[];
}

/** A budget that covers a step. */
export interface JudgedBudget {
  readonly id: string;
  readonly place: string;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
  readonly onReached: BudgetReachedPolicy;
  /** What it has in its current period, what is spent of it, and what the step needs: decimal numbers. */
  readonly limit: string;
  readonly spent: string;
  readonly needed: string;
  /** The deadline of the question whether to raise it. Null: the default. */
  readonly expiresAfterSeconds: number | null;
  readonly onExpiry: Deadline['onExpiry'] | null;
  readonly endsAt: Date | null;
  /** Whether it is in money, and the model has no price. */
  readonly isUnpriced: boolean;
  /** Whether the step could cost more than what is left, even if nothing were reserved. */
  readonly isReached: boolean;
  /** Whether it has no room for any step of the model: a large prompt alone does not use a budget up. */
  readonly isUsedUp: boolean;
  /** Whether it has no room for the step now. */
  readonly isFull: boolean;
}

/**
 * Judges all budgets of a place in one statement. If all have room, it reserves the most of a step in each of them, in place
 * of the earlier reservation of the work. Without a reserver it only judges.
 */
export async function reserve(
  ctx: Context,
  place: SpendingPlace,
  ceiling: StepCeiling,
  reserver: Reserver | undefined,
): Promise<JudgedBudget[]> {
  const { environment, sql } = ctx;
  const at = ctx.now();
  const unit = Prisma.sql`held.unit`;
  const { workId = null, fence = null, until = Prisma.sql`now()`, unstored = [] } = reserver ?? {};
  // Locked after the budgets: a reservation that another statement has ended while this one waited must not count as room.
  const ofWork = Prisma.sql`r.environment_id = ${environment.id}::uuid AND r.work_id = ${workId}::uuid`;
  const budgets = await sql.rows<JudgedBudget>`
    WITH ${heldBudgets(environment.id, Prisma.sql`${isAt(ctx, place)} AND ${isInForce(place.defaults)}`, at)}, replaced AS MATERIALIZED (
      SELECT r.budget_id, r.amount FROM budget_reservation r JOIN held ON held.id = r.budget_id WHERE ${ofWork} FOR UPDATE OF r
    ), priced AS (
      SELECT held.*, ${spentSql(environment, unstored, unit)} + ${ceilingSql(environment, ceiling, unit)} AS needed,
             ${ceilingSql(environment, leastOf(ceiling), unit)} AS least,
             coalesce((SELECT sum(replaced.amount) FROM replaced WHERE replaced.budget_id = held.id), 0) AS own
      FROM held
    ), judged AS (
      SELECT priced.*, needed IS NULL AS is_unpriced, coalesce(spent + needed > amount, false) AS is_over,
             coalesce(spent + reserved - own + needed > amount, true) AS is_full
      FROM priced
    ), may AS (
      SELECT ${reserver !== undefined} AND NOT EXISTS (SELECT FROM judged WHERE is_full) AS reserve
    ), former AS (
      DELETE FROM budget_reservation r USING judged, may
      WHERE may.reserve AND ${ofWork} AND r.budget_id = judged.id
      RETURNING r.budget_id, r.amount
    ), reservation AS (
      INSERT INTO budget_reservation (environment_id, id, budget_id, work_id, fence, amount, expires_at)
      SELECT ${environment.id}::uuid, gen_random_uuid(), judged.id, ${workId}::uuid, ${fence}, needed, ${until}
      FROM judged, may WHERE may.reserve
      RETURNING id
    ), changed AS (
      UPDATE budget b
      SET period_start = judged.period_start, spent = judged.spent, raised = judged.raised, warned_at = judged.warned_at,
          reached_at = CASE WHEN judged.is_over THEN coalesce(judged.reached_at, ${at}) ELSE judged.reached_at END,
          reserved = CASE WHEN may.reserve
            THEN b.reserved + judged.needed - coalesce((SELECT sum(amount) FROM former WHERE budget_id = b.id), 0)
            ELSE b.reserved END
      FROM judged, may
      WHERE b.environment_id = ${environment.id}::uuid AND b.id = judged.id AND (may.reserve OR (judged.is_over AND judged.reached_at IS NULL))
      RETURNING b.id, b.place, b.period, judged.ends_at, false AS is_warned, judged.is_over AND judged.reached_at IS NULL AS is_reached
    ), ${budgetEvents(environment.id, place.conversationId, at)}
    SELECT id, place, period, unit, on_reached AS "onReached", ends_at AS "endsAt", trim_scale(amount)::text AS limit,
           trim_scale(spent)::text AS spent, trim_scale(needed)::text AS needed,
           expires_after_seconds AS "expiresAfterSeconds", on_expiry AS "onExpiry", is_unpriced AS "isUnpriced",
           is_over OR is_unpriced AS "isReached", coalesce(spent + least > amount, true) AS "isUsedUp", is_full AS "isFull"
    FROM judged ORDER BY id`;
  // Some may have become used up now, which has written an event.
  if (budgets.some(({ isReached }) => isReached)) ctx.services.stores.pubSub.publish(eventTopic(environment.id));
  return budgets;
}

/** A small step of the same model: a step with a long reply does not use a budget up. */
function leastOf({ model, outputTokens }: StepCeiling): StepCeiling {
  return { model, inputTokens: 0, outputTokens: Math.min(outputTokens, LIMITS.budgetReplyTokens) };
}

/** The condition that a budget `b` covers a place. */
function isAt({ environment, caller }: Context, place: SpendingPlace): Prisma.Sql {
  const { deploymentId, conversationId, endUser, runId, isVisitor } = place;
  const atDeployment = deploymentId === null ? [] : [deploymentPlace(deploymentId)];
  const known = [
    environmentPlace,
    ...atDeployment,
    ...(endUser === null ? [] : [endUserPlace(endUser)]),
    ...(endUser === null || deploymentId === null ? [] : [endUserAtPlace(deploymentId, endUser)]),
    ...(isVisitor && deploymentId !== null ? [visitorsPlace(deploymentId)] : []),
    ...(runId === null ? [] : [runPlace(runId)]),
  ];
  if (conversationId === null) return Prisma.sql`b.place = ANY (${known})`;
  const startedByVisitor = Prisma.sql`EXISTS (
          SELECT FROM run WHERE run.id = ${runId}::uuid AND run.environment_id = ${environment.id}::uuid AND ${isVisitorsShare(Prisma.sql`run.share_key`)})`;
  // Who may not read the conversation does not learn about its budgets. An array, so that an index finds the places.
  return Prisma.sql`b.place = ANY (${known}::text[] || ARRAY(
        SELECT unnest(ARRAY[${conversationPlace('')} || conversation.id, ${endUserPlace('')} || conversation.end_user,
                            ${endUserAtPlace(deploymentId ?? '', '')} || conversation.end_user,
                            CASE WHEN ${startedByVisitor} THEN ${visitorsPlace(deploymentId ?? '')} END])
        FROM conversation
        WHERE conversation.id = ${conversationId}::uuid AND conversation.environment_id = ${environment.id}::uuid${ownedBy(caller)}))`;
}
