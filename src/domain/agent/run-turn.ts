import { ServiceError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { recentTimeline } from '../conversations/timeline.ts';
import { askModel } from './ask-model.ts';
import { COMPLETE_CONVERSATION } from './built-in-tools.ts';
import { ModelFailure } from './model-port.ts';
import { type Round, storeRound } from './round.ts';
import { RunLost } from './run-lost.ts';
import { failTurn, finishTurn, type TurnEnd } from './settle.ts';
import { type AcceptedTurn, addUsage, type FinishedTurn, NO_USAGE, type PausedTurn, type TurnResult } from './turn.ts';

/** Steps of one round in which the model may call tools; after them it has to answer (WIRE 7). */
const MAX_STEPS = 16;

/**
 * Works an accepted turn to its end or its next pause, one stored model step at a time. No transaction is open while
 * the model or a tool works.
 * @throws {ServiceError} model_error or model_timeout, with the conversation and the run
 * @throws {RunLost} where the turn was resumed and another process has settled the run
 */
export function runTurn(ctx: Context, turn: AcceptedTurn): Promise<TurnResult> {
  return ctx.services.runs.work(turn.runId, async (signal) => {
    let end: TurnEnd = { step: turn.step, usage: NO_USAGE, openCompletions: false, completion: null };
    try {
      const entries = await recentTimeline(ctx, turn.conversation.id, turn.historyLimit);
      for (;;) {
        const mayCall = end.step - turn.step < MAX_STEPS;
        const answer = await askModel(ctx, turn, { entries, tools: mayCall ? turn.tools : [], signal });
        end = { ...end, step: end.step + 1, usage: addUsage(end.usage, answer) };
        if (answer.calls.length === 0 || !mayCall) return await finishTurn(ctx, turn, answer.text, end);
        const round = await storeRound(ctx, turn, answer, end, signal);
        if (round.pending.length > 0) return paused(turn, round.pending);
        entries.push(...round.entries);
        end = afterCalls(end, round.executed);
      }
    } catch (error) {
      return await giveUp(ctx, turn, end, error);
    }
  });
}

/** complete_conversation is applied only if it was the last server tool that was executed (SPEC 3). */
function afterCalls(end: TurnEnd, executed: Round['executed']): TurnEnd {
  const last = executed.at(-1);
  if (!last) return end;
  return {
    ...end,
    openCompletions: end.openCompletions || executed.some(({ kind }) => kind === 'tool'),
    completion: last.name === COMPLETE_CONVERSATION.name ? last.callId : null,
  };
}

function paused(turn: AcceptedTurn, pending: PausedTurn['pendingCalls']): PausedTurn {
  return {
    outcome: 'paused',
    runId: turn.runId,
    runStatus: 'waiting_for_client_action',
    conversationId: turn.conversation.id,
    conversationStatus: 'active',
    completedAt: null,
    name: turn.conversation.name,
    pendingCalls: pending,
  };
}

/** Settles a turn that cannot go on, and says to its caller what became of it. */
async function giveUp(ctx: Context, turn: AcceptedTurn, end: TurnEnd, error: unknown): Promise<FinishedTurn> {
  const answer = answerTo(turn, error);
  const facts = { request_id: ctx.requestId, run_id: turn.runId, conversation_id: turn.conversation.id };
  // A provider's fault can repeat what the user wrote, so only its kind is logged.
  const fault = error instanceof ModelFailure ? { fault: error.message, kind: error.kind } : { err: error };
  ctx.services.log.warn({ ...facts, ...fault }, 'a turn failed');
  // Whoever settled a lost run has logged it; the lease of one that cannot be settled now will run out.
  if (error instanceof RunLost) throw turn.resumed ? error : answer;
  const errorCode = answer instanceof ServiceError ? answer.code : 'internal_error';
  const settled = await failTurn(ctx, turn, end, errorCode).catch((cause: unknown) => {
    if (cause instanceof RunLost && turn.resumed) throw cause;
    ctx.services.log.error({ ...facts, err: cause }, 'a failed turn could not be settled');
  });
  if (settled) return settled;
  throw answer;
}

function answerTo({ conversation, runId }: AcceptedTurn, error: unknown): unknown {
  const facts = { conversation_id: conversation.id, run_id: runId };
  if (error instanceof RunLost || (error instanceof ModelFailure && error.kind === 'aborted')) {
    const message = 'The turn was stopped before the assistant answered. Your message is kept; send the next one.';
    return new ServiceError('model_error', message, { facts });
  }
  if (!(error instanceof ModelFailure)) return error;
  const code = error.kind === 'timeout' ? 'model_timeout' : 'model_error';
  return new ServiceError(code, `${error.message} Your message is kept; send the next one.`, { facts });
}
