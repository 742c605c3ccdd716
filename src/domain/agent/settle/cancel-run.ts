import { inTransaction } from '../../../db/transaction.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { lockIdle } from '../../conversations/lock-idle.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { cancelledAs, endWaitingRun } from './end-waiting-run.ts';

/**
 * Cancels a run whose client does not return. The pending calls are cancelled, and the conversation accepts its next
 * turn. The run becomes `failed`, or `interrupted` if tool results were accepted. Does nothing if no run
 * waits.
 * @throws {ServiceError} not_found, run_in_progress
 */
export async function cancelRun(ctx: Context, conversationId: string): Promise<void> {
  const at = ctx.now();
  const isCancelled = await inTransaction(ctx.db, async (tx) => {
    await lockIdle(ctx, tx, conversationId);
    const runId = await endWaitingRun(ctx, tx, conversationId, { change: cancelledAs('cancelled'), at });
    if (!runId) return false;
    const entry = { action: 'run.cancelled', subjectId: conversationId, details: { run_id: runId }, at } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    return true;
  });
  if (isCancelled) publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
}
