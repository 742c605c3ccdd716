import { Prisma } from '../../db/generated/client.ts';

/**
 * The cost of the tokens of a row without a cache, with the prices `p` in their currency. Null without a price.
 * All costs are exact, unlike a division, so the cost of a sum is the sum of the costs.
 */
function costWithoutCache(row: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${row}.input_tokens * p.input_per_million + ${row}.output_tokens * p.output_per_million) * 0.000001`;
}

/** What the cache saved of the cost of a row. Negative if writing to the cache cost more. Null without a price. */
export function savingsOf(row: Prisma.Sql): Prisma.Sql {
  const saved = (tokens: Prisma.Sql, price: Prisma.Sql) =>
    Prisma.sql`${row}.${tokens} * (p.input_per_million - coalesce(p.${price}, p.input_per_million))`;
  const cached = saved(Prisma.sql`cached_input_tokens`, Prisma.sql`cached_input_per_million`);
  const written = saved(Prisma.sql`cache_write_tokens`, Prisma.sql`cache_write_per_million`);
  return Prisma.sql`(${cached} + ${written}) * 0.000001`;
}

/** The cost of the tokens of a row with the prices `p`. */
export function costOf(row: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${costWithoutCache(row)} - ${savingsOf(row)})`;
}

/** The cost of the input of a row without a cache. */
export function inputCostWithoutCache(row: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${row}.input_tokens * p.input_per_million * 0.000001`;
}

/** The share that the cache saved of a cost without it. Null if that is 0. */
export function shareSaved(savings: Prisma.Sql, withoutCache: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${savings} / nullif(${withoutCache}, 0))::float8`;
}

/** A line of the workflow log. */
export const LINE = Prisma.sql`l`;

/** Joins the workspace's price `p` of this model. */
export function joinPrices(
  { workspaceId }: { readonly workspaceId: string },
  model: Prisma.Sql = Prisma.sql`l.model`,
): Prisma.Sql {
  return Prisma.sql`LEFT JOIN model_price p ON p.workspace_id = ${workspaceId}::uuid AND p.model = ${model}`;
}
