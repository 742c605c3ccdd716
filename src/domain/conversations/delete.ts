import { inTransaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { eraseConversations } from './erase.ts';
import { lockIdle } from './lock-idle.ts';
import { publishLifecycleChange } from './publish-change.ts';

/** A deletion as an idempotency key stores it. */
type RecordedDeletion = Readonly<Record<'deletedId', string>>;

/**
 * Permanently deletes a conversation with its content. A run that waits for its client is deleted with it. A running
 * turn prevents the deletion.
 * @throws {ServiceError} not_found, run_in_progress
 */
export async function deleteConversation(ctx: Context, conversationId: string): Promise<string> {
  const recorded = ctx.request.claim?.effect as RecordedDeletion | null | undefined;
  if (recorded) return recorded.deletedId;
  await inTransaction(ctx.db, async (tx) => {
    await lockIdle(ctx, tx, conversationId);
    await eraseConversations(tx, ctx.environment.id, [conversationId]);
    await recordEffect(tx, ctx.request.claim, { deletedId: conversationId } satisfies RecordedDeletion);
    const entry = { action: 'conversation.deleted', subjectId: conversationId, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
  });
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return conversationId;
}
