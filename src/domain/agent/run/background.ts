import type { Context } from '../../context.ts';
import { QUEUED_RUNS } from '../rows/queue-sql.ts';
import type { AcceptedTurn, RecordedTurn, StartedTurn } from '../turn.ts';

/** How a request takes part in its turn: it waits for the outcome, or only for the acceptance. */
export interface TurnOptions {
  readonly background?: boolean | undefined;
}

/**
 * Lets any process run an accepted turn from the queue, for a request that does not wait for it. The feed of the
 * conversation shows the turn. A second request with the same idempotency key that waits gets its outcome.
 */
export function startTurn(ctx: Context, turn: AcceptedTurn): StartedTurn {
  const { runId, conversation, resumed, step, handledBy } = turn;
  if (!handledBy) ctx.services.stores.pubSub.publish(QUEUED_RUNS);
  return startedTurn(ctx, { runId, conversationId: conversation.id, ...(resumed && { step }) }, handledBy);
}

/** The response of a request that does not wait for its turn. */
export function startedTurn(
  { request }: Pick<Context, 'request'>,
  { runId, conversationId, step }: RecordedTurn,
  handledBy?: StartedTurn['handledBy'],
): StartedTurn {
  if (request.claim?.turn) request.claim.turn.isStarted = true;
  return { outcome: 'started', runId, conversationId, ...(step !== undefined && { step }), handledBy };
}
