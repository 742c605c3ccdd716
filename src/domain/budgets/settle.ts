import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { type SpentTokens, spentSql } from './budget-cost.ts';
import { budgetEvents, heldBudgets } from './held-budgets.ts';

interface Settlement {
  readonly workId: string;
  readonly conversationId: string | null;
  readonly budgetIds: readonly string[];
  readonly spent: readonly SpentTokens[];
}

/**
 * The CTEs that end the reservation of some work, and count what it has spent since its last statement. They belong to the
 * statement that stores the usage, and do nothing if its CTE `moved` is empty.
 */
export function settleBudgets(
  { environment, now }: Pick<Context, 'environment' | 'now'>,
  { workId, conversationId, budgetIds, spent }: Settlement,
): Prisma.Sql[] {
  const at = now();
  const held = heldBudgets(environment.id, Prisma.sql`b.id = ANY (${budgetIds})`, at, { after: Prisma.sql`moved` });
  const cost = Prisma.sql`coalesce(${spentSql(environment, spent, Prisma.sql`held.unit`)}, 0)`;
  return [
    held,
    Prisma.sql`billed AS (SELECT held.*, held.spent + ${cost} AS total FROM held)`,
    Prisma.sql`released AS (
      DELETE FROM budget_reservation r USING held
      WHERE r.environment_id = ${environment.id}::uuid AND r.budget_id = held.id AND r.work_id = ${workId}::uuid
      RETURNING r.budget_id, r.amount
    )`,
    Prisma.sql`changed AS (
      UPDATE budget b
      SET period_start = billed.period_start, spent = billed.total, raised = billed.raised,
          reserved = greatest(0, b.reserved - coalesce((SELECT sum(amount) FROM released WHERE budget_id = b.id), 0)),
          warned_at = CASE WHEN ${IS_WARNED} THEN coalesce(billed.warned_at, ${at}) ELSE billed.warned_at END,
          reached_at = CASE WHEN ${IS_REACHED} THEN coalesce(billed.reached_at, ${at}) ELSE billed.reached_at END
      FROM billed
      WHERE b.environment_id = ${environment.id}::uuid AND b.id = ANY (${budgetIds}) AND b.id = billed.id
      RETURNING b.id, b.place, b.period, billed.ends_at, coalesce(${IS_WARNED}, false) AND billed.warned_at IS NULL AS is_warned,
                ${IS_REACHED} AND billed.reached_at IS NULL AS is_reached
    )`,
    budgetEvents(environment.id, conversationId, at),
  ];
}

const IS_WARNED = Prisma.sql`billed.total >= billed.amount * billed.warn_at`;

const IS_REACHED = Prisma.sql`billed.total >= billed.amount`;
