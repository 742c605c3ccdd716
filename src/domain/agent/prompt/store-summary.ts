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
import type { Summary } from './summarize.ts';

/**
 * Stores a summary with its usage, if this process still owns the run. So a conversation has one summary of a place,
 * even if a process dies or another one races. Returns the ID of its item.
 * @param through the last item that it covers. Undefined: only its usage is stored.
 * @throws {LeaseLostError}
 */
export async function storeSummary(
  ctx: Context,
  turn: RunningTurn,
  { text, model, tokens, firstItemId, usage }: Summary,
  { step, startedMs, through }: { readonly step: number; readonly startedMs: number; readonly through?: bigint },
): Promise<bigint> {
  const at = ctx.now();
  const responseTimeMs = elapsedMs(ctx.services.process, startedMs);
  const parts = [
    lockAndMove(ctx, turn, Prisma.sql`updated_at = ${at}`, 'completed'),
    ...turn.trace.take(),
    through === undefined
      ? NOTHING_STORED
      : summaryItem({ text, firstItemId: String(firstItemId), lastItemId: String(through), tokens, model }, step, at),
    logSummary(ctx, turn, { model, usage, responseTimeMs, at }),
    Prisma.sql`touched AS (
      UPDATE conversation SET context_tokens = 0, updated_at = ${at},
        ${countSummary({ model, usage })}
      FROM moved
      WHERE ${conversationOfMoved(ctx)}
    )`,
  ];
  const [row] = await ctx.sql.rows<{ id: bigint | null }>`
    WITH ${Prisma.join(parts, ', ')} SELECT stored.id FROM moved LEFT JOIN stored ON true`;
  if (!row) throw new LeaseLostError();
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
