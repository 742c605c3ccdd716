import { Prisma } from '../../db/generated/client.ts';
import { conversationInReach, reachOf } from '../access/reach.ts';
import type { Context } from '../context.ts';
import type { Condition } from '../related/page.ts';

/**
 * The forks that a caller can read. Undefined: all. Without credentials, a caller who knows the ID of a conversation can use it, so
 * nobody gets the IDs of forks that way.
 */
export function visibleForks({ caller }: Pick<Context, 'caller'>): Condition | undefined {
  if (caller.kind === 'anonymous') return { where: { id: { in: [] } }, sql: Prisma.sql`false` };
  const reach = reachOf(caller);
  if (!reach) return undefined;
  const { deploymentIds, endUser } = reach;
  return {
    where: { deploymentId: { in: [...deploymentIds] }, ...(endUser !== undefined && { endUser }) },
    sql: conversationInReach(reach, 'conversation'),
  };
}

/** The source of a fork. Null if the caller cannot read it. */
export async function visibleSource(ctx: Context, id: string | null): Promise<string | null> {
  if (id === null || ctx.caller.kind === 'anonymous') return null;
  const reach = reachOf(ctx.caller);
  if (!reach) return id;
  const rows = await ctx.sql.rows`
    SELECT FROM conversation c
    WHERE c.id = ${id}::uuid AND c.environment_id = ${ctx.environment.id}::uuid AND ${conversationInReach(reach)}`;
  return rows.length > 0 ? id : null;
}
