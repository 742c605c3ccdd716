import { ServiceError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { conversationCompleted } from './judge-resume.ts';

/**
 * Why a continue was not accepted: asked only after it was not, so the common path pays nothing for it. Undefined where
 * what stood in its way has gone meanwhile: try again.
 */
export async function refusedTurn(
  ctx: Context,
  conversation: { readonly id: string; readonly status: string },
): Promise<ServiceError | undefined> {
  if (conversation.status === 'completed') return conversationCompleted();
  const active = await ctx.db.run.findFirst({
    where: { conversationId: conversation.id, status: { in: ['running', 'waiting_for_client_action'] } },
    select: { id: true, status: true },
  });
  if (!active && (await ctx.db.queuedTurn.count({ where: { conversationId: conversation.id } })) === 0)
    return undefined;
  const pending = active?.status === 'waiting_for_client_action' ? await pendingActions(ctx, active.id) : [];
  // With none left, a resume came in between: the run is at work again.
  if (pending.length > 0) return clientActionRequired(pending);
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
    select: { callId: true, name: true, arguments: true },
  });
  return pending.map(({ callId, name, arguments: given }) => ({ call_id: callId, name, arguments: given }));
}

function clientActionRequired(pending: readonly object[]): ServiceError {
  return new ServiceError(
    'client_action_required',
    'The assistant waits for the results of its client tools. Send tool_results for every pending action first.',
    { facts: { pending_client_actions: pending } },
  );
}
