import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import { ownedBy } from '../access/reach.ts';
import { isVisitorsShare } from '../access/shares.ts';
import type { Context } from '../context.ts';
import { newTypeId } from '../type-id.ts';
import type { PlaceDefault } from '../workflows/default-budgets.ts';
import { periodStartSql } from './periods.ts';
import { conversationPlace, endUserAtPlace, runPlace, visitorsPlace } from './places.ts';
import type { SpendingPlace } from './spending-place.ts';

/** The condition of lists without default budgets. A deployment has one for each of its end users. */
export const NO_DEFAULTS = { where: { isDefault: false }, sql: Prisma.sql`NOT is_default` };

/** `day`, with the kind of its place. */
const keyOf = ({ kind, budget: { period = 'total' } }: PlaceDefault) => `${kind}:${period}`;

/** The condition that a budget `b` is no default budget, or that its default exists. */
export function isInForce(defaults: readonly PlaceDefault[]): Prisma.Sql {
  const keys = defaults.map(keyOf);
  return Prisma.sql`(NOT b.is_default OR (substring(b.place FROM '^[a-z_]+') || ':' || b.period) = ANY (${keys}::text[]))`;
}

/**
 * Makes the default budgets of a place, and gives the existing ones the settings of today. One whose unit is the same keeps what
 * was spent. A budget that somebody has set stays. Takes its locks in the order of the IDs, like the statements that reserve,
 * and inserts last, in the order of the places: so two statements never wait for each other.
 */
export async function makeDefaults(ctx: Context, place: SpendingPlace): Promise<void> {
  const { environment, sql } = ctx;
  const { deploymentId, defaults } = place;
  if (defaults.length === 0) return;
  const at = Prisma.sql`${ctx.now()}::timestamptz`;
  const isSame = Prisma.sql`b.unit = differing.unit`;
  await sql.execute`
    WITH spender AS (${spenderSql(ctx, place)}), wanted AS (
      SELECT CASE d.kind WHEN 'run' THEN ${runPlace('')} || spender.run WHEN 'conversation' THEN ${conversationPlace('')} || spender.conversation_id
                         WHEN 'end_user' THEN ${endUserAtPlace(deploymentId ?? '', '')} || spender.end_user
                         ELSE CASE WHEN spender.is_visitor THEN ${visitorsPlace(deploymentId ?? '')} END END AS place,
             CASE WHEN d.kind IN ('end_user', 'visitors') THEN ${deploymentId}::uuid END AS deployment_id,
             CASE WHEN d.kind = 'conversation' THEN spender.conversation_id END AS conversation_id,
             CASE WHEN d.kind = 'run' THEN spender.run_id END AS run_id, CASE WHEN d.kind = 'end_user' THEN spender.end_user END AS end_user,
             d.id, d.period, d.unit, d.amount, d.warn_at, d.on_reached
      FROM spender, jsonb_to_recordset(${JSON.stringify(defaults.map(columnsOf))}::jsonb) AS d (
        kind text, id text, period text, unit text, amount numeric, warn_at numeric, on_reached text)
    ), differing AS (
      SELECT b.id, wanted.unit, wanted.amount, wanted.warn_at, wanted.on_reached
      FROM budget b JOIN wanted ON b.place = wanted.place AND b.period = wanted.period
      WHERE b.environment_id = ${environment.id}::uuid AND b.is_default
        AND (b.unit, b.amount, b.warn_at, b.on_reached) IS DISTINCT FROM (wanted.unit, wanted.amount, wanted.warn_at, wanted.on_reached)
      ORDER BY b.id FOR NO KEY UPDATE OF b
    ), changed AS (
      UPDATE budget b SET unit = differing.unit, amount = differing.amount, warn_at = differing.warn_at, on_reached = differing.on_reached,
             spent = CASE WHEN ${isSame} THEN b.spent ELSE 0 END, raised = CASE WHEN ${isSame} THEN b.raised ELSE 0 END,
             reserved = CASE WHEN ${isSame} THEN b.reserved ELSE 0 END,
             warned_at = CASE WHEN ${isSame} AND b.spent >= differing.amount * differing.warn_at THEN b.warned_at END,
             reached_at = CASE WHEN ${isSame} AND b.spent >= differing.amount + b.raised THEN b.reached_at END, updated_at = ${at}
      FROM differing
      WHERE b.environment_id = ${environment.id}::uuid AND b.id = differing.id
      RETURNING b.id, b.unit
    ), freed AS (
      DELETE FROM budget_reservation r USING changed, budget before
      WHERE r.environment_id = ${environment.id}::uuid AND before.environment_id = ${environment.id}::uuid AND r.budget_id = changed.id
        AND before.id = changed.id AND before.unit <> changed.unit
      RETURNING r.id
    )
    INSERT INTO budget (environment_id, id, place, deployment_id, conversation_id, run_id, end_user, is_default, period, unit, amount,
      warn_at, on_reached, period_start, created_at, updated_at)
    SELECT e.id, wanted.id, wanted.place, wanted.deployment_id, wanted.conversation_id, wanted.run_id, wanted.end_user, true,
           wanted.period, wanted.unit, wanted.amount, wanted.warn_at, wanted.on_reached,
           ${periodStartSql(Prisma.sql`wanted.period`, at, Prisma.sql`e.time_zone`)}, ${at}, ${at}
    FROM wanted, environment e
    WHERE e.id = ${environment.id}::uuid AND wanted.place IS NOT NULL AND (SELECT count(*) FROM changed) >= 0 AND NOT EXISTS (
      SELECT FROM budget b WHERE b.environment_id = ${environment.id}::uuid AND b.place = wanted.place AND b.period = wanted.period)
    ORDER BY wanted.place
    ON CONFLICT (environment_id, place, period) DO NOTHING`;
}

/** Who spends: `run` is the ID in a place, and `run_id` that of a stored run. No row if the caller may not read the conversation. */
function spenderSql({ environment, caller }: Context, place: SpendingPlace): Prisma.Sql {
  const { deploymentId, conversationId, endUser, runId, isVisitor } = place;
  if (conversationId === null) {
    return Prisma.sql`
      SELECT NULL::uuid AS conversation_id, ${endUser}::text AS end_user, ${isVisitor && deploymentId !== null}::boolean AS is_visitor,
             ${runId}::text AS run, NULL::uuid AS run_id`;
  }
  return Prisma.sql`
      SELECT conversation.id AS conversation_id, conversation.end_user, ${isVisitor}::boolean OR ${isVisitorsShare(Prisma.sql`run.share_key`)} AS is_visitor,
             run.id::text AS run, run.id AS run_id
      FROM conversation LEFT JOIN run ON run.id = ${runId}::uuid AND run.environment_id = ${environment.id}::uuid
        AND run.conversation_id = conversation.id
      WHERE conversation.id = ${conversationId}::uuid AND conversation.environment_id = ${environment.id}::uuid
        AND conversation.deployment_id = ${deploymentId}::uuid${ownedBy(caller)}`;
}

function columnsOf({ kind, budget }: PlaceDefault): object {
  const { period = 'total', amount, tokens, warnAt, onReached } = budget;
  const limit = amount === undefined ? { unit: 'tokens', amount: tokens } : { unit: 'money', amount };
  return { kind, id: newTypeId('bud'), period, ...limit, warn_at: warnAt ?? null, on_reached: onReached };
}

/** The environments, and the rows of each, that one call deletes. */
const ENVIRONMENTS = 100;
const ROWS = 1_000;

/** Deletes default budgets of runs that have ended, an hour after they were made. */
export async function deleteEndedDefaults(sql: Sql): Promise<void> {
  const isOld = Prisma.sql`b.is_default AND b.place LIKE 'run:%' AND b.created_at < now() - interval '1 hour'`;
  const environments = await sql.rows<{ id: string }>`
    SELECT DISTINCT b.environment_id AS id FROM budget b WHERE ${isOld} LIMIT ${ENVIRONMENTS}`;
  for (const { id } of environments) {
    await sql.execute`
      DELETE FROM budget WHERE environment_id = ${id}::uuid AND id IN (
        SELECT b.id FROM budget b
        WHERE b.environment_id = ${id}::uuid AND ${isOld}
          AND NOT EXISTS (SELECT FROM budget_reservation r WHERE r.environment_id = ${id}::uuid AND r.budget_id = b.id)
          AND NOT EXISTS (
            SELECT FROM run WHERE run.environment_id = ${id}::uuid AND run.id = b.run_id AND run.status IN ('running', 'waiting_for_client_action'))
        LIMIT ${ROWS})`;
  }
}
