import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { TopicSubscription } from '../../../db/topic-subscription.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { clearEffect, recordEffect } from '../../access/claimed-effect.ts';
import { shareOf } from '../../access/shares.ts';
import type { Context } from '../../context.ts';
import { requestInterruption } from '../../interruptions.ts';
import { markInterrupted } from '../rows/run-moves.ts';
import { stoppedTurnError } from '../settle/failed-turn.ts';
import type { AcceptedTurn, RecordedTurn } from '../turn.ts';
import type { NewTurn } from './turn-rows.ts';

/** A message that waits because a turn of its conversation is running. */
export interface WaitingTurn {
  readonly turn: NewTurn;
  readonly conversationId: string;
}

/**
 * Waits until the earlier turns have ended, in the order in which messages arrived at any process. Then returns the
 * turn that `take` accepted. `take` returns an error if it could not accept the turn, or undefined if the reason no
 * longer holds. With the policy `interrupt`, the running turn is asked to stop. The waiting message is stored: if this
 * process dies, another process starts its turn, or keeps the message with a failed run.
 * @throws {ServiceError} run_in_progress if too many messages wait, unavailable if this process shuts down, and other
 * errors of `take`
 */
export function waitForTurn(ctx: Context, waiting: WaitingTurn, take: Take): Promise<AcceptedTurn> {
  const message = { environmentId: ctx.environment.id, id: waiting.turn.runId };
  return ctx.services.process.runs.waitWithLease(message, async () => {
    const changes = new TopicSubscription(ctx.services.stores.pubSub, waiting.conversationId);
    try {
      await enqueue(ctx, waiting);
      for (;;) {
        const accepted = await takeTurn(ctx, waiting, take);
        if (accepted) return accepted;
        await changes.wait();
      }
    } catch (error) {
      await leaveQueue(ctx, waiting);
      throw error;
    } finally {
      changes.close();
    }
  });
}

type Take = () => Promise<AcceptedTurn | ServiceError | undefined>;

/** Returns undefined while an earlier turn has not ended. */
async function takeTurn(ctx: Context, waiting: WaitingTurn, take: Take): Promise<AcceptedTurn | undefined> {
  requireClient(ctx, waiting);
  const result = await take();
  if (result && !(result instanceof ServiceError)) return result;
  if (result && result.code !== 'run_in_progress') throw result;
  await requirePlace(ctx, waiting);
  if (waiting.turn.deployment.doubleTextPolicy === 'interrupt') await interruptRun(ctx, waiting.conversationId);
  return undefined;
}

/** Adds the message to the end of the queue. The conversation's lock keeps the queue within its limit. */
async function enqueue(ctx: Context, { turn, conversationId }: WaitingTurn): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`
      SELECT id FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
    const queued = await tx.$executeRaw`
      INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model,
                               tools, history_limit, attempts_left, background, share_key, request_id, lease_owner, lease_expires_at, created_at)
      SELECT ${turn.runId}::uuid, c.environment_id, c.id, ${JSON.stringify(turn.message.content)}::jsonb,
             ${turn.canPause}, ${turn.deployment.version}, ${turn.model}, ${JSON.stringify(turn.tools)}::jsonb,
             ${turn.historyLimit}, ${turn.attemptsLeft}, ${turn.background}, ${shareOf(ctx)}, ${ctx.request.id},
             ${ctx.services.stores.leases.owner}::uuid, ${ctx.services.stores.leases.end}, ${turn.acceptedAt}
      FROM conversation c
      WHERE c.id = ${conversationId}::uuid AND c.environment_id = ${ctx.environment.id}::uuid
        AND (SELECT count(*) FROM queued_turn q WHERE q.conversation_id = c.id AND q.environment_id = c.environment_id) < ${LIMITS.queuedTurns}`;
    if (queued === 0) throw queueFull();
    await recordEffect(tx, ctx.request.claim, { conversationId, runId: turn.runId } satisfies RecordedTurn);
  });
}

function queueFull(): ServiceError {
  return new ServiceError(
    'run_in_progress',
    `${LIMITS.queuedTurns} messages of this conversation are queued, which is the limit. Send this one again later.`,
  );
}

function requireClient({ services }: Context, { turn }: WaitingTurn): void {
  services.process.runs.requireOpen();
  if (turn.gone?.aborted) throw new ServiceError('unavailable', 'The client disconnected before the turn started.');
}

/** If this process was stopped for longer than its lease, another process has stored the message with a failed run. */
async function requirePlace(ctx: Context, { turn, conversationId }: WaitingTurn): Promise<void> {
  const place = await ctx.db.queuedTurn.findFirst({ where: { runId: turn.runId }, select: { runId: true } });
  if (!place) throw stoppedTurnError({ conversation_id: conversationId, run_id: turn.runId });
}

/** Removes a rejected message from the queue. */
async function leaveQueue(ctx: Context, { turn, conversationId }: WaitingTurn): Promise<void> {
  try {
    await inTransaction(ctx.db, async (tx: Transaction) => {
      const { count } = await tx.queuedTurn.deleteMany({ where: { runId: turn.runId } });
      if (count > 0) await clearEffect(tx, ctx.request.claim);
    });
    // The next message may be first now.
    ctx.services.stores.pubSub.publish(conversationId);
  } catch (error) {
    ctx.services.process.log.error(
      { err: error, run_id: turn.runId },
      'a rejected message could not be removed from its queue',
    );
  }
}

/** Asks the process that works on the conversation's active run to stop it and to keep the partial reply. */
async function interruptRun(ctx: Context, conversationId: string): Promise<void> {
  const count = await ctx.sql.execute`${markInterrupted(ctx.environment.id, conversationId)}`;
  if (count > 0) requestInterruption(ctx.services.stores.pubSub);
}
