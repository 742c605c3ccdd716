import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Spending } from '../../budgets/spending.ts';
import type { Context } from '../../context.ts';
import { elapsedMs } from '../../telemetry.ts';
import { countSummary } from '../rows/count-usage.ts';
import { conversationOfMoved } from '../rows/run-sql.ts';
import { logSummary } from '../rows/workflow-log.ts';
import type { AcceptedTurn } from '../turn.ts';

interface Place extends Pick<AcceptedTurn, 'deployment'> {
  readonly conversationId: string;
}

interface SideCost {
  readonly model: string;
  readonly usage: Usage;
  readonly spending: Spending | undefined;
  readonly startedMs: number;
}

/**
 * Stores what a title or a suggestion cost, unless its conversation was deleted. The line is that of no turn, like that of a
 * summary.
 */
export async function storeSideCost(
  ctx: Context,
  { deployment, conversationId }: Place,
  { model, usage, spending, startedMs }: SideCost,
): Promise<void> {
  const line = { model, usage, responseTimeMs: elapsedMs(ctx.services.process, startedMs), at: ctx.now() };
  const parts = [
    Prisma.sql`moved AS (
      SELECT environment_id, id AS conversation_id, NULL::uuid AS id FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE
    )`,
    ...(spending?.settling() ?? []),
    logSummary(ctx, { deployment }, line),
  ];
  const count = await ctx.sql.execute`
    WITH ${Prisma.join(parts, ', ')}
    UPDATE conversation SET ${countSummary(line)} FROM moved
    WHERE ${conversationOfMoved(ctx)}`;
  // Otherwise its conversation was deleted, and the caller settles what it cost.
  if (count > 0) spending?.settled();
}
