import { LIMITS } from '../../contract/limits.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { isStranger } from '../access/shares.ts';
import type { Context } from '../context.ts';

/**
 * How many items one request can copy or replace, and of how many bytes. Each message that is written computes its words
 * for the search, so strangers get less.
 */
export function mostOfLine({ caller }: Pick<Context, 'caller'>): { readonly items: number; readonly bytes: number } {
  return isStranger(caller)
    ? { items: LIMITS.strangerForkItems, bytes: LIMITS.strangerForkBytes }
    : { items: LIMITS.forkItems, bytes: LIMITS.forkBytes };
}

/** Whether a condition selects more items of a conversation than one request can replace. */
export async function isLongLine(ctx: Context, conversationId: string, condition: Prisma.Sql): Promise<boolean> {
  const { items } = mostOfLine(ctx);
  const [row] = await ctx.sql.rows<{ count: number }>`
    SELECT count(*)::int4 AS count FROM (
      SELECT FROM timeline_item
      WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${condition}
      LIMIT ${items + 1}) AS line`;
  return (row?.count ?? 0) > items;
}
