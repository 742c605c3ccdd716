import { inTransaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { lockIdle } from '../conversations/lock-idle.ts';
import { conversationMoved } from '../conversations/moved.ts';

/**
 * Ends a run that waits for a client which does not come back: what it waits for is cancelled, and the conversation takes
 * its next turn. It has failed, or was interrupted where results had been accepted, as WIRE 7 has it for a run that
 * cannot go on. Where nothing waits nothing is done.
 * @throws {ServiceError} not_found, run_in_progress
 */
export async function cancelRun(ctx: Context, conversationId: string): Promise<void> {
  const at = ctx.now();
  const isCancelled = await inTransaction(ctx.db, async (tx) => {
    await lockIdle(ctx, tx, conversationId);
    const [run] = await tx.$queryRaw<{ id: string }[]>`
      WITH moved AS (
        UPDATE run
        SET status = CASE WHEN results_accepted THEN 'interrupted' ELSE 'failed' END::run_status,
            error_code = 'cancelled', updated_at = ${at}
        WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
          AND status = 'waiting_for_client_action'
        RETURNING id, conversation_id
      ), cancelled AS (
        UPDATE timeline_item SET status = 'cancelled', revision = nextval('timeline_revision')
        FROM moved WHERE timeline_item.run_id = moved.id AND timeline_item.status = 'pending'
      ), touched AS (
        UPDATE conversation SET updated_at = ${at} FROM moved WHERE conversation.id = moved.conversation_id
      )
      SELECT id FROM moved`;
    if (!run) return false;
    const entry = { action: 'run.cancelled', subjectId: conversationId, details: { run_id: run.id }, at } as const;
    await tx.$executeRaw(audited(ctx, entry));
    return true;
  });
  if (isCancelled) conversationMoved(ctx.services.live, ctx.environment.id, conversationId);
}
