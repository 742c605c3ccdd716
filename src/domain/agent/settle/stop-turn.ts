import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { countRequest, RATE_LIMITS } from '../../access/rate-limits.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { findConversation } from '../../conversations/reads.ts';
import { requestInterruption } from '../../interruptions.ts';
import { InterruptedError } from '../rows/run-moves.ts';
import { endWaitingRun } from './end-waiting-run.ts';

/** How long a stop waits for the process of the run. A dead process does not answer: recovery settles its run. */
const WAIT_MS = 10_000;

export const STOPPED = Prisma.sql`status = 'interrupted', finish_reason = 'stopped'`;

/**
 * Stops the turn of a conversation, on whatever process it runs. The model call is aborted, the text is kept, and the
 * run becomes `interrupted`. The calls of a waiting run are cancelled. Does nothing if no turn is active. Resolves when
 * the run has ended.
 * @param runId the only turn to stop. Default: any
 * @throws {ServiceError} not_found, rate_limited
 */
export async function stopTurn(ctx: Context, conversationId: string, runId?: string | null): Promise<void> {
  const { caller, services, request } = ctx;
  if (caller.kind === 'anonymous') {
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.conversationReads, conversationId, request.reportLimit);
  }
  await findConversation(ctx, { conversationId }, { select: { id: true } });
  const only = runId ? Prisma.sql`AND run.id = ${runId}::uuid` : Prisma.empty;
  await untilEnded(ctx, conversationId, async () => {
    return !(await interruptRunning(ctx, conversationId, only)) && !(await endWaiting(ctx, conversationId, only));
  });
}

/** Stops the turn of a conversation that is running, in the same way. A run that waits for its client keeps waiting. */
export function stopRunningTurn(ctx: Context, conversationId: string): Promise<void> {
  return untilEnded(ctx, conversationId, async () => !(await interruptRunning(ctx, conversationId, Prisma.empty)));
}

/** Repeats a stop until no turn is left to stop, with each change of the conversation. */
async function untilEnded(ctx: Context, conversationId: string, stop: () => Promise<boolean>): Promise<void> {
  const { runs, monotonicMs } = ctx.services.process;
  const deadlineMs = monotonicMs() + WAIT_MS;
  await runs.waitForResult(conversationId, async () => (await stop()) || monotonicMs() > deadlineMs || undefined);
}

/** Asks the process of the running turn to stop it. Returns false if no turn is running. */
async function interruptRunning(ctx: Context, conversationId: string, only: Prisma.Sql): Promise<boolean> {
  const { services } = ctx;
  const [run] = await ctx.sql.rows<{ id: string; wasAsked: boolean }>`
    WITH running AS (
      SELECT id, interrupted FROM run
      WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
        AND status = 'running' ${only}
    )
    UPDATE run SET interrupted = true FROM running
    WHERE run.id = (SELECT id FROM running) AND run.environment_id = ${ctx.environment.id}::uuid AND run.status = 'running'
    RETURNING run.id, running.interrupted AS "wasAsked"`;
  if (!run) return false;
  services.process.runs.interrupt(run.id, new InterruptedError('a client stopped a turn'));
  if (!run.wasAsked) requestInterruption(services.stores.pubSub);
  return true;
}

/** Ends a run that waits for its client. Returns true if it has ended it, so that the caller looks again. */
async function endWaiting(ctx: Context, conversationId: string, only: Prisma.Sql): Promise<boolean> {
  const at = ctx.now();
  const ended = await inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`
      SELECT 1 FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
    return endWaitingRun(ctx, tx, conversationId, { change: STOPPED, at, only });
  });
  if (ended) publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return ended !== undefined;
}
