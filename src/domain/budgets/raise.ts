import type { BudgetUnit } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { heldBudgets } from './held-budgets.ts';

/** What a budget gets in addition, in the period for which somebody has asked. */
export interface BudgetRaise {
  readonly budgetId: string;
  readonly unit: BudgetUnit;
  /** A decimal number. */
  readonly value: string;
  /** Null: the period never ends. */
  readonly periodEndsAt: string | null;
}

const LEDGER = Prisma.sql`raised_ledger`;

/**
 * The CTEs that raise budgets for their current period. They do nothing if the CTE `moved` is empty, or if the period for
 * which somebody has asked is over: a new one has room.
 */
export function raiseBudgets({ environment, now }: Context, raises: readonly BudgetRaise[]): Prisma.Sql[] {
  if (raises.length === 0) return [];
  const at = now();
  const isNamed = Prisma.sql`b.id = ANY (${raises.map(({ budgetId }) => budgetId)})`;
  const limit = Prisma.sql`${LEDGER}.amount + more.value`;
  const isStill = (column: Prisma.Sql, least: Prisma.Sql) =>
    Prisma.sql`${column} = CASE WHEN ${LEDGER}.spent >= ${least} THEN ${LEDGER}.${column} END`;
  return [
    heldBudgets(environment.id, isNamed, at, { after: Prisma.sql`moved`, name: LEDGER }),
    Prisma.sql`raised AS (
      UPDATE budget b
      SET period_start = ${LEDGER}.period_start, spent = ${LEDGER}.spent, raised = ${LEDGER}.raised + more.value, updated_at = ${at},
          ${isStill(Prisma.sql`reached_at`, limit)}, ${isStill(Prisma.sql`warned_at`, Prisma.sql`(${limit}) * ${LEDGER}.warn_at`)}
      FROM ${LEDGER} JOIN jsonb_to_recordset(${JSON.stringify(raises)}::jsonb)
        AS more("budgetId" text, unit text, value numeric, "periodEndsAt" timestamptz) ON more."budgetId" = ${LEDGER}.id AND more.unit = ${LEDGER}.unit
      WHERE b.environment_id = ${environment.id}::uuid AND b.id = ${LEDGER}.id
        AND coalesce(more."periodEndsAt" > ${at}, true)
      RETURNING b.id
    )`,
  ];
}
