import { ServiceError } from '../../../contract/errors.ts';
import { TopicSubscription } from '../../../db/topic-subscription.ts';
import type { Context } from '../../context.ts';
import type { AcceptedTurn } from '../turn.ts';

/** How long a message waits for a streamed reply whose client has disconnected. */
const PATIENCE_MS = 2_000;

/**
 * Marks the run of a streamed reply whose client has disconnected. The next message, on any process, then waits for its
 * end. The run is already being stopped. If the mark is lost, the next message gets 409.
 */
export async function markAbandoned(ctx: Context, runId: string): Promise<void> {
  ctx.services.process.runs.abandon(runId);
  try {
    await ctx.sql.execute`
      UPDATE run SET interrupted = true
      WHERE id = ${runId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND status = 'running'`;
  } catch (error) {
    ctx.services.process.log.warn({ err: error, run_id: runId }, 'an abandoned reply could not be marked');
  }
}

/**
 * How long the service may need to notice that a client has disconnected. Clients send the next message immediately.
 */
const NOTICE_MS = 400;

/** How often a waiting message tries again. */
const LOOK_MS = 25;

type Taken = AcceptedTurn | ServiceError | undefined;

/**
 * Accepts a message as soon as an abandoned reply has ended. Any other running turn keeps its 409.
 * @throws {ServiceError} run_in_progress, or another error that `take` returns
 */
export async function acceptAfterAbandonedReply(
  ctx: Context,
  conversationId: string,
  take: () => Promise<Taken>,
): Promise<AcceptedTurn> {
  const {
    process: { monotonicMs },
    stores: { pubSub },
  } = ctx.services;
  let start: number | undefined;
  const wakes = new TopicSubscription(pubSub, conversationId);
  try {
    for (;;) {
      const taken = await take();
      if (taken && !(taken instanceof ServiceError)) return taken;
      if (taken && taken.code !== 'run_in_progress') throw taken;
      // Starts with the first rejection, because on a busy server one attempt can take longer than the wait.
      start ??= monotonicMs();
      const patienceMs = taken ? await patienceFor(ctx, conversationId) : PATIENCE_MS;
      const leftMs = patienceMs - (monotonicMs() - start);
      if (taken && leftMs <= 0) throw taken;
      await wakes.wait(Math.min(LOOK_MS, leftMs));
    }
  } finally {
    wakes.close();
  }
}

/** How long a message waits for the running turn. A v2 turn continues without its client, so nothing waits for it. */
async function patienceFor(ctx: Context, conversationId: string): Promise<number> {
  const running = await ctx.db.run.findFirst({
    where: { conversationId, status: 'running' },
    select: { id: true, agent: true, interrupted: true },
  });
  // The run has ended, so the next attempt is accepted.
  if (!running) return PATIENCE_MS;
  if (running.interrupted || ctx.services.process.runs.isAbandoned(running.id)) return PATIENCE_MS;
  return running.agent ? 0 : NOTICE_MS;
}
