import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { Wakes } from '../../db/wakes.ts';
import { markEffect } from '../access/idempotency.ts';
import type { Context } from '../context.ts';
import { stoppedTurn } from './give-up.ts';
import { interruptRun } from './interrupt.ts';
import { LEASE_SECONDS } from './run-registry.ts';
import type { AcceptedTurn, MadeTurn } from './turn.ts';
import type { NewTurn, TurnRequest } from './turn-rows.ts';

/** A message that has to wait: a turn of its conversation is running. */
export interface WaitingTurn {
  readonly request: TurnRequest;
  readonly turn: NewTurn;
  readonly conversationId: string;
}

/**
 * Waits until the turns before this one have ended, in the order in which the messages came to any process, and
 * answers what `take` then accepted; it answers why it did not, or nothing where that has changed meanwhile. Under the policy `interrupt` the running turn is asked to stop. It is stored
 * that the message waits: should this process die, its message is kept with a failed run, as that of any turn.
 * @throws {ServiceError} run_in_progress where too many wait; what `take` answers once it is anything else; unavailable
 * once this process shuts down
 */
export function waitForTurn(ctx: Context, waiting: WaitingTurn, take: Take): Promise<AcceptedTurn> {
  return ctx.services.runs.waiting(waiting.turn.runId, async () => {
    const wakes = new Wakes(ctx.services.live, waiting.conversationId);
    try {
      await enqueue(ctx, waiting);
      for (;;) {
        const accepted = await takeTurn(ctx, waiting, take);
        if (accepted) return accepted;
        await wakes.wait();
      }
    } catch (error) {
      await leaveQueue(ctx, waiting);
      throw error;
    } finally {
      wakes.close();
    }
  });
}

type Take = () => Promise<AcceptedTurn | ServiceError | undefined>;

/** Undefined where the turns before it have not ended. */
async function takeTurn(ctx: Context, waiting: WaitingTurn, take: Take): Promise<AcceptedTurn | undefined> {
  requireWanted(ctx, waiting);
  const answer = await take();
  if (answer && !(answer instanceof ServiceError)) return answer;
  if (answer && answer.code !== 'run_in_progress') throw answer;
  await requirePlace(ctx, waiting);
  if (waiting.request.deployment.doubleTextPolicy === 'interrupt') await interruptRun(ctx, waiting.conversationId);
  return undefined;
}

/** Takes the last place, under the conversation's lock, so that no more wait than may. */
async function enqueue(ctx: Context, { request, turn, conversationId }: WaitingTurn): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`
      SELECT id FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
    const queued = await tx.$executeRaw`
      INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model,
                               request_id, lease_owner, lease_expires_at, created_at)
      SELECT ${turn.runId}::uuid, c.environment_id, c.id, ${JSON.stringify(request.input.content)}::jsonb,
             ${request.agent}, ${turn.deployment.version}, ${turn.model}, ${ctx.request.id},
             ${ctx.services.runs.owner}::uuid, now() + make_interval(secs => ${LEASE_SECONDS}), ${turn.acceptedAt}
      FROM conversation c
      WHERE c.id = ${conversationId}::uuid AND c.environment_id = ${ctx.environment.id}::uuid
        AND (SELECT count(*) FROM queued_turn q WHERE q.conversation_id = c.id) < ${LIMITS.queuedTurns}`;
    if (queued === 0) throw queueFull();
    await markEffect(tx, ctx.request.claim, { conversationId, runId: turn.runId } satisfies MadeTurn);
  });
}

function queueFull(): ServiceError {
  return new ServiceError(
    'run_in_progress',
    `${LIMITS.queuedTurns} messages of this conversation wait for their turn already. Send this again later.`,
  );
}

function requireWanted({ services }: Context, { request }: WaitingTurn): void {
  services.runs.requireOpen();
  if (request.gone?.aborted) throw new ServiceError('unavailable', 'Whoever would have read the reply has gone away.');
}

/** Where this process was away for longer than its lease, its message has been kept with a failed run. */
async function requirePlace(ctx: Context, { turn, conversationId }: WaitingTurn): Promise<void> {
  const place = await ctx.db.queuedTurn.findUnique({ where: { runId: turn.runId }, select: { runId: true } });
  if (!place) throw stoppedTurn({ conversation_id: conversationId, run_id: turn.runId });
}

/** A message that is refused after all leaves nothing behind. */
async function leaveQueue(ctx: Context, { turn, conversationId }: WaitingTurn): Promise<void> {
  try {
    await inTransaction(ctx.db, async (tx: Transaction) => {
      const { count } = await tx.queuedTurn.deleteMany({ where: { runId: turn.runId } });
      if (count > 0) await markEffect(tx, ctx.request.claim, null);
    });
    // Those behind it may be first now.
    ctx.services.live.publish(conversationId);
  } catch (error) {
    ctx.services.log.error({ err: error, run_id: turn.runId }, 'a refused message could not leave its queue');
  }
}
