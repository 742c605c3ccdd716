import { ServiceError } from '../../contract/errors.ts';
import type { BudgetPlace } from '../../contract/statuses.ts';
import type { Budget } from '../../db/generated/client.ts';
import { newestFirst } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Context } from '../context.ts';

/** Budgets, newest first. */
const BUDGETS = newestFirst<Budget>('budgets', 'createdAt');

export function budgetNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no budget with this ID in this environment. Check {param}.', {
    param: ['budgetId'],
  });
}

/** @throws {ServiceError} not_found */
export async function findBudget(ctx: Context, id: string): Promise<Budget> {
  const budget = await ctx.db.budget.findFirst({ where: { id } });
  if (budget) return budget;
  throw budgetNotFound();
}

/** The filter of a list of budgets. All conditions must hold. */
export interface BudgetFilter {
  readonly place?: BudgetPlace | null | undefined;
  readonly deploymentId?: string | null | undefined;
  readonly conversationId?: string | null | undefined;
  readonly runId?: string | null | undefined;
  readonly endUser?: string | null | undefined;
}

/** A page of the environment's budgets. */
export function listBudgets(ctx: Context, args: PageArgs, filter: BudgetFilter): Promise<KeysetPage<Budget>> {
  const { place, deploymentId, conversationId, runId, endUser } = filter;
  const isOfOnePlace = [place, conversationId, runId, endUser].some((one) => one != null);
  const conditions = {
    ...(deploymentId != null && { deploymentId }),
    ...(conversationId != null && { conversationId }),
    ...(runId != null && { runId }),
    ...(endUser != null && { endUser }),
    // Each end user and each conversation can have a default budget: lists have those only on request.
    ...(isOfOnePlace ? {} : { isDefault: false }),
    // No kind is the beginning of another one.
    ...(place && { place: { startsWith: place } }),
  };
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, conditions] };
  return keysetPage(BUDGETS, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.budget.findMany({ where: { AND: [conditions, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.budget.count({ where: conditions }),
  });
}
