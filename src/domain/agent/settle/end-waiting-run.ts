import { Prisma } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { Context } from '../../context.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { conversationOfMoved, itemsOfMoved } from '../rows/run-sql.ts';

/** The change of a run that nobody answers any more. */
export function cancelledAs(errorCode: 'cancelled' | 'action_expired'): Prisma.Sql {
  return Prisma.sql`
    status = CASE WHEN results_accepted THEN 'interrupted' ELSE 'failed' END::run_status, error_code = ${errorCode}`;
}

interface WaitingRunEnd {
  readonly change: Prisma.Sql;
  readonly at: Date;
  /** A condition on `run` that begins with AND. */
  readonly only?: Prisma.Sql;
}

/**
 * Ends the run of a conversation that waits for its client, and cancels its pending calls. `change` sets the status. The
 * transaction must hold the lock of the conversation. Returns the ID of the run, or undefined if no run waits.
 */
export async function endWaitingRun(
  ctx: Context,
  tx: Transaction,
  conversationId: string,
  { change, at, only = Prisma.empty }: WaitingRunEnd,
): Promise<string | undefined> {
  const [run] = await tx.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE run SET ${change}, updated_at = ${at}
      WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
        AND status = 'waiting_for_client_action' ${only}
      RETURNING *
    ), ${runEvents('moved')}, cancelled AS (
      UPDATE timeline_item SET status = 'cancelled', revision = next_revision()
      FROM moved WHERE ${itemsOfMoved(ctx)} AND timeline_item.status = 'pending'
    ), touched AS (
      UPDATE conversation SET updated_at = ${at} FROM moved
      WHERE ${conversationOfMoved(ctx)}
    )
    SELECT id FROM moved`;
  return run?.id;
}
