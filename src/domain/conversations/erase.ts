import type { Transaction } from '../../db/transaction.ts';

/**
 * Deletes conversations of one environment, and what holds their content elsewhere: it empties their triggers, which stay
 * used, and forgets answers that idempotency keys keep of their turns. Lines of the workflow log stay, without them. The
 * transaction holds the conversations' rows locked, and none of them has a running run: whoever still works on an older
 * one finds no conversation to write to.
 */
export async function eraseConversations(
  tx: Transaction,
  environmentId: string,
  conversationIds: readonly string[],
): Promise<void> {
  const ids = [...conversationIds];
  await tx.$executeRaw`
    UPDATE trigger SET content = '[]', variables = NULL WHERE conversation_id = ANY (${ids}::uuid[])`;
  // Without an owner an answer that is on its way is not kept; with its effect, the retry is told that nothing is there.
  await tx.$executeRaw`
    UPDATE idempotency_record SET answer = NULL, lease_owner = NULL, lease_expires_at = now()
    WHERE environment_id = ${environmentId}::uuid AND effect ->> 'conversationId' = ANY (${ids}::text[])`;
  await tx.$executeRaw`UPDATE conversation SET latest_run_id = NULL WHERE id = ANY (${ids}::uuid[])`;
  await tx.$executeRaw`DELETE FROM timeline_item WHERE conversation_id = ANY (${ids}::uuid[])`;
  await tx.$executeRaw`DELETE FROM run WHERE conversation_id = ANY (${ids}::uuid[])`;
  await tx.$executeRaw`DELETE FROM conversation WHERE id = ANY (${ids}::uuid[])`;
}
