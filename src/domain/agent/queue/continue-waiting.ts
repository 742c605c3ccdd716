import { LIMITS } from '../../../contract/limits.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { raiseBudgets } from '../../budgets/raise.ts';
import type { Context } from '../../context.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import type { Deadline } from '../../workflows/config.ts';
import { RETURNED } from '../rows/queue-sql.ts';
import { raisesIn } from '../tools/raise-budget.ts';

/** A pending call of a waiting run. */
export interface PendingRow extends Pick<CallEntry, 'callId' | 'name' | 'arguments'> {
  readonly runId: string;
  readonly isDue: boolean;
  readonly onExpiry: Deadline['onExpiry'] | null;
}

/** Locks a conversation, and reads the pending calls of its waiting run. */
export async function lockedCalls(ctx: Context, tx: Transaction, conversationId: string): Promise<PendingRow[]> {
  await tx.$queryRaw`
    SELECT 1 FROM conversation
    WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
  return tx.$queryRaw<PendingRow[]>`
    SELECT i.call_id AS "callId", i.name, i.arguments, i.run_id AS "runId", i.on_expiry AS "onExpiry",
           coalesce(i.expires_at <= now(), false) AS "isDue"
    FROM timeline_item i
    JOIN run r ON r.id = i.run_id AND r.conversation_id = ${conversationId}::uuid AND r.environment_id = ${ctx.environment.id}::uuid
      AND r.status = 'waiting_for_client_action'
    WHERE i.conversation_id = ${conversationId}::uuid AND i.environment_id = ${ctx.environment.id}::uuid
      AND i.kind = 'client_tool' AND i.status = 'pending'
    ORDER BY i.id`;
}

interface CallOutput extends Pick<PendingRow, 'callId' | 'name' | 'arguments'>, Pick<CallEntry, 'status' | 'output'> {
  readonly expired: boolean;
}

/** Gives pending calls the outputs that nobody sent, and raises the budgets that these outputs raise. */
export async function storeOutputs(
  ctx: Context,
  tx: Transaction,
  conversationId: string,
  outputs: readonly CallOutput[],
): Promise<void> {
  const results = outputs.map(({ callId, status, output, expired }) => ({ callId, status, output, expired }));
  await tx.$executeRaw`
    UPDATE timeline_item
    SET status = result.status::call_status, output = result.output, expired = result.expired, revision = next_revision()
    FROM jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS result("callId" text, status text, output jsonb, expired bool)
    WHERE timeline_item.conversation_id = ${conversationId}::uuid
      AND timeline_item.environment_id = ${ctx.environment.id}::uuid AND timeline_item.call_id = result."callId"`;
  const raises = raiseBudgets(ctx, raisesIn(outputs, outputs));
  if (raises.length > 0) await tx.$executeRaw`WITH moved AS (SELECT 1), ${Prisma.join(raises, ', ')} SELECT 1`;
}

/** No client waits for the turn, so it runs like a background turn. */
export async function continueRun({ environment }: Context, tx: Transaction, runId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE run
    SET status = 'running', ${RETURNED}, results_accepted = true, interrupted = false, background = true,
        attempts_left = greatest(attempts_left, ${LIMITS.defaultTurnAttempts - 1}), accepted_at = now()
    WHERE id = ${runId}::uuid AND environment_id = ${environment.id}::uuid`;
}
