import { ServiceError } from '../../../contract/errors.ts';
import { ACTIVE_RUN_STATUSES } from '../../../contract/statuses.ts';
import type { Context } from '../../context.ts';
import { visibleArguments } from '../../conversations/visible-calls.ts';
import { conversationCompleted } from './judge-resume.ts';

/**
 * Finds out why a turn of an existing conversation was not accepted. This costs a second statement, but only for
 * rejected turns. Returns undefined if the reason no longer holds: try again.
 */
export async function rejectTurn(
  ctx: Context,
  conversation: { readonly id: string; readonly status: string },
): Promise<ServiceError | undefined> {
  if (conversation.status === 'completed') {
    const where = { id: conversation.id };
    const row = await ctx.db.conversation.findFirst({ where, select: { id: true, completedAt: true } });
    return conversationCompleted(row ?? { ...where, completedAt: null });
  }
  const active = await ctx.db.run.findFirst({
    where: { conversationId: conversation.id, status: { in: [...ACTIVE_RUN_STATUSES] } },
    select: { id: true, status: true },
  });
  if (!active && (await ctx.db.queuedTurn.count({ where: { conversationId: conversation.id } })) === 0)
    return undefined;
  const pending = active?.status === 'waiting_for_client_action' ? await pendingActions(ctx, active.id) : [];
  // Without pending calls, a resume has restarted the run meanwhile.
  if (active && pending.length > 0) return clientActionRequired(active.id, pending);
  return new ServiceError(
    'run_in_progress',
    'A turn of this conversation is still running. Wait until it has ended, then send this again.',
    { facts: { run_id: active?.id ?? null } },
  );
}

async function pendingActions(ctx: Context, runId: string): Promise<object[]> {
  const pending = await ctx.db.timelineItem.findMany({
    where: { runId, kind: 'client_tool', status: 'pending' },
    orderBy: { id: 'asc' },
    select: { callId: true, name: true, arguments: true, expiresAt: true },
  });
  return pending.map((call) => ({
    call_id: call.callId,
    name: call.name,
    arguments: visibleArguments(ctx.caller, call),
    ...(call.expiresAt && { expires_at: call.expiresAt.toISOString() }),
  }));
}

function clientActionRequired(runId: string, pending: readonly object[]): ServiceError {
  return new ServiceError(
    'client_action_required',
    'The assistant waits for the results of its client tools. Send tool_results for every pending action first.',
    { facts: { run_id: runId, pending_client_actions: pending } },
  );
}
