import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import type { StoredSummary } from '../../conversations/timeline.ts';
import { elapsedMs } from '../../telemetry.ts';
import { countSummary } from '../rows/count-usage.ts';
import { LeaseLostError } from '../rows/run-moves.ts';
import { conversationOfMoved, lockAndMove } from '../rows/run-sql.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { logSummary } from '../rows/workflow-log.ts';

/**
 * Stores a summary with its usage, if this process still owns the run. So a conversation has one summary of a place,
 * even if a process dies or another one races. Returns the ID of its item.
 * @param summary without `stored`, only the usage is stored
 * @throws {LeaseLostError}
 */
export async function storeSummary(
  ctx: Context,
  turn: RunningTurn,
  {
    model,
    usage,
    stored,
  }: { readonly model: string; readonly usage: Usage; readonly stored?: StoredSummary | undefined },
  { step, startedMs }: { readonly step: number; readonly startedMs: number },
): Promise<bigint> {
  const at = ctx.now();
  const responseTimeMs = elapsedMs(ctx.services.process, startedMs);
  const parts = [
    lockAndMove(ctx, turn, Prisma.sql`updated_at = ${at}`, 'completed'),
    ...turn.trace.take(),
    ...(turn.spending?.settling() ?? []),
    stored ? summaryItem(stored, step, at) : NOTHING_STORED,
    logSummary(ctx, turn, { model, usage, responseTimeMs, at }),
    Prisma.sql`touched AS (
      UPDATE conversation SET updated_at = ${at}, counted_prompt = NULL, ${stored ? Prisma.sql`context_tokens = 0,` : Prisma.empty}
        ${countSummary({ model, usage })}
      FROM moved
      WHERE ${conversationOfMoved(ctx)}
    )`,
  ];
  const [row] = await ctx.sql.rows<{ id: bigint | null }>`
    WITH ${Prisma.join(parts, ', ')} SELECT stored.id FROM moved LEFT JOIN stored ON true`;
  if (!row) throw new LeaseLostError();
  turn.spending?.settled();
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, turn.conversation.id);
  return row.id ?? 0n;
}

const NOTHING_STORED = Prisma.sql`stored AS (SELECT NULL::int8 AS id)`;

function summaryItem(summary: StoredSummary, step: number, at: Date): Prisma.Sql {
  return Prisma.sql`stored AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, summary, revision, created_at)
      SELECT moved.environment_id, moved.conversation_id, moved.id, ${step}, 'summary', ${JSON.stringify(summary)}::jsonb,
             next_revision(), ${at}
      FROM moved
      RETURNING id
    )`;
}
