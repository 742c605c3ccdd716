import { type Usage, usageByColumn } from '../../contract/token-usage.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { loadInBatch } from '../related/batches.ts';
import { costOf, inputCostWithoutCache, joinPrices, LINE, savingsOf, shareSaved } from './line-cost.ts';
import { eachCount } from './token-columns.ts';

/** What tokens cost at the prices of the workspace. */
export interface TokenCost {
  /** As a decimal number. Null without a price. */
  readonly cost: string | null;
  /** The share of the cost of the input that the cache saved. Null without a price, and if the input is free. */
  readonly inputSavings: number | null;
}

export const NO_COST: TokenCost = { cost: null, inputSavings: null };

/** What these tokens of a model cost. All tokens of a request that are asked for at the same time need one statement. */
export function costOfTokens(ctx: Context, model: string, usage: Usage): Promise<TokenCost> {
  const key = JSON.stringify({ model, ...usageByColumn(usage) });
  return loadInBatch(ctx, 'costs of tokens', key, (keys) => costsOf(ctx, keys));
}

function costsOf({ environment, sql }: Context, keys: readonly string[]): Promise<TokenCost[]> {
  return sql.rows<TokenCost>`
    SELECT trim_scale(${costOf(LINE)})::text AS cost,
           ${shareSaved(savingsOf(LINE), inputCostWithoutCache(LINE))} AS "inputSavings"
    FROM jsonb_array_elements(${`[${keys.join()}]`}::jsonb) WITH ORDINALITY AS used (line, position),
         LATERAL jsonb_to_record(used.line) AS l (model text, ${eachCount((column) => Prisma.sql`${column} int`)})
         ${joinPrices(environment)}
    ORDER BY used.position`;
}
