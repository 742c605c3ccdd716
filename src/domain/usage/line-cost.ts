import { Prisma } from '../../db/generated/client.ts';

/** The cost of a line `l` of the workflow log with the prices `p`, in their currency. Null without a price of its model. */
export const LINE_COST = Prisma.sql`(l.input_tokens * p.input_per_million + l.output_tokens * p.output_per_million) / 1000000`;

/** Joins the workspace's price `p` of the model of a line `l`. */
export function joinPrices({ workspaceId }: { readonly workspaceId: string }): Prisma.Sql {
  return Prisma.sql`LEFT JOIN model_price p ON p.workspace_id = ${workspaceId}::uuid AND p.model = l.model`;
}
