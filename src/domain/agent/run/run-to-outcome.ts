import type { Context } from '../../context.ts';
import type { LiveTurn } from '../live/live-turn.ts';
import { handledTurn } from '../rows/handled-turn.ts';
import { LeaseLostError } from '../rows/run-moves.ts';
import type { AcceptedTurn, TurnResult } from '../turn.ts';
import { roundOutcome } from './round-outcome.ts';
import { runTurn } from './run-turn.ts';

/** Runs an accepted turn, unless its message is for a person. If another process took the run over meanwhile, returns the outcome of that process. */
export async function runToOutcome(ctx: Context, turn: AcceptedTurn, stream?: LiveTurn): Promise<TurnResult> {
  if (turn.handledBy) {
    if (stream) ctx.services.process.liveTurns.closeTurn(stream);
    return handledTurn(turn);
  }
  try {
    return await runTurn(ctx, turn, stream);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    const conversation = { conversationId: turn.conversation.id, config: turn.deployment.config };
    return roundOutcome(ctx, conversation, { runId: turn.runId, step: turn.step });
  }
}
