import { Prisma } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { runEvents } from '../events/lifecycle.ts';
import { removeFilesOf } from '../files/remove.ts';

/**
 * Deletes conversations of one environment and the copies of their content, with the files that no other
 * conversation uses. It empties their triggers, which stay used,
 * and deletes the responses that idempotency keys store for their turns. Lines of the workflow log stay. The
 * transaction must hold the locks of the conversations, and no conversation may have a running run. A process that still works on
 * an old run finds no conversation to write to. A run that waits for its client gets the event of a cancelled run.
 */
export async function eraseConversations(
  tx: Transaction,
  environmentId: string,
  conversationIds: readonly string[],
): Promise<void> {
  const ids = [...conversationIds];
  const own = Prisma.sql`environment_id = ${environmentId}::uuid`;
  const triggers = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM trigger WHERE ${own} AND conversation_id = ANY (${ids}::uuid[])`;
  await removeFilesOf(tx, environmentId, { conversations: ids, triggers: triggers.map(({ id }) => id) });
  await tx.$executeRaw`
    UPDATE trigger SET content = '[]', variables = NULL WHERE ${own} AND conversation_id = ANY (${ids}::uuid[])`;
  // Without an owner, a response in progress is not stored. Because the effect stays, a retry gets 404.
  await tx.$executeRaw`
    UPDATE idempotency_record
    SET answer = NULL, effect = effect - 'turn', lease_owner = NULL, lease_expires_at = now()
    WHERE ${own} AND effect ->> 'conversationId' = ANY (${ids}::text[])`;
  await tx.$executeRaw`UPDATE conversation SET latest_run_id = NULL WHERE ${own} AND id = ANY (${ids}::uuid[])`;
  await tx.$executeRaw`DELETE FROM timeline_item WHERE ${own} AND conversation_id = ANY (${ids}::uuid[])`;
  await tx.$executeRaw`
    WITH deleted AS (
      DELETE FROM run WHERE ${own} AND conversation_id = ANY (${ids}::uuid[]) RETURNING *
    ), moved AS (
      SELECT id, environment_id, conversation_id, step, finish_reason, 'cancelled' AS error_code, now() AS updated_at,
             CASE WHEN results_accepted THEN 'interrupted' ELSE 'failed' END AS status
      FROM deleted WHERE status = 'waiting_for_client_action'
    ), ${runEvents('moved', null, {}, ids.length)}
    SELECT id FROM deleted`;
  await tx.$executeRaw`DELETE FROM conversation WHERE ${own} AND id = ANY (${ids}::uuid[])`;
}
