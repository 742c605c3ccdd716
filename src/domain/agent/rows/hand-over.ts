import { addUsage, type Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import { setTokens } from '../../usage/token-columns.ts';
import { QUEUED_RUNS, RETURNED } from './queue-sql.ts';
import { MOVED_RUN } from './run-moves.ts';
import type { RunningTurn } from './running-turn.ts';

/**
 * Returns the run of a process that shuts down or lost its database to the queue, so that any process continues it at once.
 * Returns false if the run ends with its process.
 * @param usage what a process that shuts down used for the run since its last pause, the step included that it stopped.
 * Undefined: the database failed, which uses an attempt. Nobody knows whether it has stored the last step.
 */
export async function handOver(ctx: Context, turn: RunningTurn, usage: Usage | undefined): Promise<boolean> {
  if (turn.attemptsLeft === 0) return false;
  const change = usage
    ? setTokens(addUsage(turn.usageBefore, usage))
    : Prisma.sql`attempts_left = run.attempts_left - 1`;
  const sealed = await ctx.services.process.liveTurns.sealed(turn.live);
  const moved = Prisma.sql`moved AS (
      UPDATE run SET ${RETURNED}, ${change}
      WHERE id = ${turn.runId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND fence = ${turn.fence}
        AND status = 'running' AND NOT interrupted
      RETURNING ${MOVED_RUN}
    )`;
  const parts = [moved, ...sealed, ...((usage && turn.spending?.settling()) ?? [])];
  const rows = await ctx.sql.rows<{ id: string }>`WITH ${Prisma.join(parts, ', ')} SELECT id FROM moved`;
  if (rows.length === 0) return false;
  const { services, request, environment } = ctx;
  services.process.log.info({ request_id: request.id, run_id: turn.runId }, 'handed a run over to another process');
  services.stores.pubSub.publish(QUEUED_RUNS);
  publishConversationChange(services.stores.pubSub, environment.id, turn.conversation.id);
  return true;
}
