import { Prisma } from '../../db/generated/client.ts';

/**
 * The cost of tokens with the prices `p`, in their currency. Null without a price. It is exact, unlike a division, so the
 * cost of a sum is the sum of the costs.
 */
export function costOf(inputTokens: Prisma.Sql, outputTokens: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${inputTokens} * p.input_per_million + ${outputTokens} * p.output_per_million) * 0.000001`;
}

/** The cost of a line `l` of the workflow log with the prices `p`. */
export const LINE_COST = costOf(Prisma.sql`l.input_tokens`, Prisma.sql`l.output_tokens`);

/** Joins the workspace's price `p` of this model. */
export function joinPrices(
  { workspaceId }: { readonly workspaceId: string },
  model: Prisma.Sql = Prisma.sql`l.model`,
): Prisma.Sql {
  return Prisma.sql`LEFT JOIN model_price p ON p.workspace_id = ${workspaceId}::uuid AND p.model = ${model}`;
}
