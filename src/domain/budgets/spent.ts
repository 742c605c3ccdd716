import type { BudgetPeriod, BudgetUnit } from '../../contract/statuses.ts';
import { type Budget, Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { loadInBatch } from '../related/batches.ts';
import { periodEndSql, periodStartSql } from './periods.ts';

/** The period that contains the current time. */
interface CurrentPeriod {
  /** Null: it is the only one. */
  readonly startsAt: Date | null;
  /** Null: it never ends. */
  readonly endsAt: Date | null;
}

/** The current period of a budget. All budgets of a request need one statement. */
function currentPeriod(ctx: Context, period: BudgetPeriod): Promise<CurrentPeriod> {
  return loadInBatch(ctx, 'current periods', period, (periods) => currentPeriods(ctx, periods));
}

function currentPeriods(ctx: Context, periods: readonly string[]): Promise<CurrentPeriod[]> {
  const parts = [Prisma.sql`asked.period`, Prisma.sql`${ctx.now()}::timestamptz`, Prisma.sql`e.time_zone`] as const;
  return ctx.sql.rows<CurrentPeriod>`
    SELECT nullif(${periodStartSql(...parts)}, to_timestamp(0)) AS "startsAt", ${periodEndSql(...parts)} AS "endsAt"
    FROM unnest(${[...periods]}::text[]) WITH ORDINALITY AS asked (period, position), environment e
    WHERE e.id = ${ctx.environment.id}::uuid ORDER BY asked.position`;
}

/** An amount of money or a number of tokens. */
export interface BudgetSum {
  readonly unit: BudgetUnit;
  readonly value: Prisma.Decimal;
}

/** @param value a decimal number */
export function budgetSum(unit: BudgetUnit, value: string): BudgetSum {
  return { unit, value: new Prisma.Decimal(value) };
}

/** A budget in its current period. */
interface BudgetState extends CurrentPeriod {
  readonly spent: BudgetSum;
  /** What it was raised by in this period. */
  readonly raised: BudgetSum;
  readonly reserved: BudgetSum;
  readonly remaining: BudgetSum;
  readonly warnedAt: Date | null;
  readonly reachedAt: Date | null;
}

/** Sums of columns with 26 digits before the point and 12 after it are exact. */
const Exact = Prisma.Decimal.clone({ precision: 60 });

/** The state in the current period. What was spent in an earlier one does not count. */
export async function budgetState(ctx: Context, budget: Budget): Promise<BudgetState> {
  const period = await currentPeriod(ctx, budget.period as BudgetPeriod);
  const isCurrent = period.startsAt === null || budget.periodStart >= period.startsAt;
  const sumOf = (value: Prisma.Decimal): BudgetSum => ({ unit: budget.unit as BudgetUnit, value });
  const spent = new Exact(isCurrent ? budget.spent : 0);
  const raised = new Exact(isCurrent ? budget.raised : 0);
  const left = new Exact(budget.amount).plus(raised).minus(spent).minus(budget.reserved);
  return {
    ...period,
    spent: sumOf(spent),
    raised: sumOf(raised),
    reserved: sumOf(budget.reserved),
    remaining: sumOf(left.isNegative() ? new Exact(0) : left),
    warnedAt: isCurrent ? budget.warnedAt : null,
    reachedAt: isCurrent ? budget.reachedAt : null,
  };
}
