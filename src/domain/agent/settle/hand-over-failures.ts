import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { handOverToPerson, isNewQuestion } from '../../handling/hand-over.ts';
import type { AcceptedTurn } from '../turn.ts';

/**
 * Lets a conversation wait for a person if as many turns in a row have failed as its workflow says. It is a statement of its own:
 * if the process dies before it, the next failed turn does it.
 */
export async function handOverAfterFailures(
  ctx: Context,
  { conversation, deployment: { config } }: Pick<AcceptedTurn, 'conversation' | 'deployment'>,
): Promise<void> {
  const { handOverAfterFailures: most } = config;
  if (most === null) return;
  const { id } = conversation;
  const failedInARow = Prisma.sql`(
      SELECT count(*) FROM (
        SELECT error_code FROM run WHERE conversation_id = ${id}::uuid AND environment_id = ${ctx.environment.id}::uuid
        ORDER BY created_at DESC, id DESC LIMIT ${most}
      ) AS latest WHERE error_code IS NOT NULL) = ${most} AND ${isNewQuestion(ctx, id)}`;
  const change = { cause: 'failures', reason: null, urgency: 'normal' } as const;
  const changed = await ctx.sql.rows`${handOverToPerson(ctx, id, config, change, failedInARow)}`;
  if (changed.length > 0) publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, id);
}
