import { ServiceError } from '../../contract/errors.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { conversationNotFound } from './reads.ts';

/**
 * Locks a conversation that has no running turn. Turns start and end under this lock, so no turn can start before the
 * transaction ends.
 * @throws {ServiceError} not_found, run_in_progress
 */
export async function lockIdle({ environment }: Context, tx: Transaction, id: string): Promise<void> {
  const [locked] = await tx.$queryRaw<object[]>`
    SELECT 1 FROM conversation WHERE id = ${id}::uuid AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  if (!locked) throw conversationNotFound();
  const running = await tx.run.findFirst({ where: { conversationId: id, status: 'running' }, select: { id: true } });
  if (!running) return;
  const message = 'A turn of this conversation is still running. Wait until it has ended, then try again.';
  throw new ServiceError('run_in_progress', message, { facts: { run_id: running.id } });
}
