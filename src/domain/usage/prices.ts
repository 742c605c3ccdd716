import { ServiceError } from '../../contract/errors.ts';
import type { ModelPrice } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';

const MOST = 1_000_000;

const LONGEST_MODEL = 300;

/** What a million tokens of a model cost. */
export interface PriceInput {
  readonly model: string;
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** The workspace's prices, by model. */
export function listPrices(ctx: Context): Promise<ModelPrice[]> {
  return ctx.db.modelPrice.findMany({ orderBy: { model: 'asc' } });
}

/** Sets a model's price; what was used before is counted by it as well. @throws {ServiceError} invalid_request */
export function setPrice(ctx: Context, { model, ...price }: PriceInput): Promise<ModelPrice> {
  if (model.trim() === '' || model.length > LONGEST_MODEL) {
    throw new ServiceError('invalid_request', `{param} must have 1 to ${LONGEST_MODEL} characters.`, {
      param: ['model'],
    });
  }
  for (const [field, value] of Object.entries(price)) {
    if (value >= 0 && value <= MOST) continue;
    const message = `{param} must be from 0 to ${MOST.toLocaleString('en')}.`;
    throw new ServiceError('invalid_request', message, { param: [field] });
  }
  const { workspaceId } = ctx.environment;
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw(audited(ctx, { action: 'model_price.set', subjectId: model, details: price, at }));
    return tx.modelPrice.upsert({
      where: { workspaceId_model: { workspaceId, model } },
      create: { workspaceId, model, ...price, updatedAt: at },
      update: { ...price, updatedAt: at },
    });
  });
}

/** @throws {ServiceError} not_found */
export async function removePrice(ctx: Context, model: string): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.modelPrice.deleteMany({ where: { model } });
    if (count === 0) {
      throw new ServiceError('not_found', 'There is no price of this model. Check {param}.', { param: ['model'] });
    }
    await tx.$executeRaw(audited(ctx, { action: 'model_price.removed', subjectId: model, at: ctx.now() }));
  });
}
