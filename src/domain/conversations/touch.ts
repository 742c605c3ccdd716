import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';

/**
 * Locks the conversation and marks it as changed, so that its subscribers read it again. It keeps the time of its last turn.
 * Returns false if there is no such conversation.
 */
export async function touchConversation(
  { environment }: Pick<Context, 'environment'>,
  tx: Transaction,
  id: string,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    UPDATE conversation SET updated_at = updated_at WHERE id = ${id}::uuid AND environment_id = ${environment.id}::uuid`;
  return count > 0;
}
