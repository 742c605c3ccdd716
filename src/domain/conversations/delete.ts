import { inTransaction } from '../../db/transaction.ts';
import { markEffect } from '../access/idempotency.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { eraseConversations } from './erase.ts';
import { lockIdle } from './lock-idle.ts';
import { conversationMoved } from './moved.ts';

/** A deletion as an idempotency key remembers it. */
type MadeDeletion = Readonly<Record<'deletedId', string>>;

/**
 * Deletes a conversation and all that was said in it, for ever. One that waits for its client ends with it; while a turn
 * is at work nothing is deleted.
 * @throws {ServiceError} not_found, run_in_progress
 */
export async function deleteConversation(ctx: Context, conversationId: string): Promise<string> {
  const made = ctx.request.claim?.effect as MadeDeletion | null | undefined;
  if (made) return made.deletedId;
  await inTransaction(ctx.db, async (tx) => {
    await lockIdle(ctx, tx, conversationId);
    await eraseConversations(tx, ctx.environment.id, [conversationId]);
    await markEffect(tx, ctx.request.claim, { deletedId: conversationId } satisfies MadeDeletion);
    const entry = { action: 'conversation.deleted', subjectId: conversationId, at: ctx.now() } as const;
    await tx.$executeRaw(audited(ctx, entry));
  });
  conversationMoved(ctx.services.live, ctx.environment.id, conversationId);
  return conversationId;
}
