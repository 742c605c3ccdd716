import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import type { ModelPrice } from '../../db/generated/client.ts';
import { withoutRowSecurity } from '../../db/scoped.ts';
import { inTransaction } from '../../db/transaction.ts';
import { SET_MODEL_PRICE } from '../../shapes/environment.ts';
import { rulesOf } from '../../shapes/field.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { requireUnused } from '../dependants.ts';
import { parseInput } from '../input.ts';
import { budgetsThatNeed, lockModelPrices } from '../workflows/needed-prices.ts';

const priceInput = z.object(rulesOf(SET_MODEL_PRICE.fields));

/** The price of one million tokens of a model. */
export type PriceInput = z.input<typeof priceInput>;

/** The prices of the workspace, ordered by model. */
export function listPrices(ctx: Context): Promise<ModelPrice[]> {
  return ctx.db.modelPrice.findMany({ orderBy: { model: 'asc' } });
}

/** Sets the price of a model. It applies to earlier usage too. @throws {ServiceError} invalid_request */
export function setPrice(ctx: Context, input: PriceInput): Promise<ModelPrice> {
  const { model, cachedInputPerMillion = null, cacheWritePerMillion = null, ...rest } = parseInput(priceInput, input);
  const price = { ...rest, cachedInputPerMillion, cacheWritePerMillion };
  const { workspaceId } = ctx.environment;
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'model_price.set', subjectId: model, details: price, at }));
    return tx.modelPrice.upsert({
      where: { workspaceId_model: { workspaceId, model } },
      create: { workspaceId, model, ...price, updatedAt: at },
      update: { ...price, updatedAt: at },
    });
  });
}

/** @throws {ServiceError} not_found; in_use if a budget in money needs it */
export async function removePrice(ctx: Context, model: string): Promise<void> {
  // Budgets of the other environment also need it, so the statements see all rows.
  await inTransaction(withoutRowSecurity(ctx.db), async (tx) => {
    await lockModelPrices(ctx, tx);
    await requireUnused(ctx, tx, `price of ${model}`, await budgetsThatNeed(ctx, tx, model));
    const { count } = await tx.modelPrice.deleteMany({ where: { model } });
    if (count === 0) {
      throw new ServiceError('not_found', 'There is no price for this model. Check {param}.', { param: ['model'] });
    }
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'model_price.removed', subjectId: model, at: ctx.now() }));
  });
}
