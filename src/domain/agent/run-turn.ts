import type { Context } from '../context.ts';
import { recentTimeline } from '../conversations/timeline.ts';
import { isCompletion } from './calls.ts';
import { giveUp } from './give-up.ts';
import { modelReply } from './model-loop.ts';
import type { Reader } from './reader.ts';
import { type Round, storeRound } from './round.ts';
import { finishTurn, type TurnEnd } from './settle.ts';
import { writeTitle } from './title.ts';
import { type AcceptedTurn, addUsage, NO_USAGE, type PausedTurn, type TurnResult } from './turn.ts';

/**
 * Works an accepted turn to its end or its next pause, one stored model step at a time. No transaction is open while
 * the model or a tool works. Without a reader nobody's going away stops it.
 * @throws {ServiceError} model_error or model_timeout, with the conversation and the run
 * @throws {RunLost} where the turn was resumed and another process has settled the run
 */
export function runTurn(ctx: Context, turn: AcceptedTurn, reader?: Reader): Promise<TurnResult> {
  return ctx.services.runs.work(turn.runId, async (stopped) => {
    const progress: Progress = {
      end: { step: turn.step, usage: NO_USAGE, openCompletions: false, completion: null },
      signal: reader ? AbortSignal.any([stopped, reader.gone]) : stopped,
      onText: reader && ((delta) => reader.onText(delta)),
    };
    try {
      return await runSteps(ctx, turn, progress);
    } catch (error) {
      return await giveUp(ctx, turn, progress.end, { error, reader, stopped });
    }
  });
}

/** How far a turn has come: what settles it where a step throws. */
interface Progress {
  end: TurnEnd;
  readonly signal: AbortSignal;
  readonly onText: ((delta: string) => Promise<void>) | undefined;
}

async function runSteps(ctx: Context, turn: AcceptedTurn, progress: Progress): Promise<TurnResult> {
  const { deployment, model, conversation } = turn;
  let pending: Round['pending'] = [];
  const text = await modelReply(
    ctx,
    { deployment, model, variables: conversation.variables },
    {
      entries: turn.entries ?? (await recentTimeline(ctx, conversation.id, turn.historyLimit)),
      tools: turn.tools,
      signal: progress.signal,
      onText: progress.onText,
      answered(answer) {
        const { end } = progress;
        progress.end = { ...end, step: end.step + 1, usage: addUsage(end.usage, answer) };
      },
      async called(answer) {
        const round = await storeRound(ctx, turn, answer, progress.end, progress.signal);
        pending = round.pending;
        if (pending.length > 0) return undefined;
        progress.end = afterCalls(progress.end, round.executed);
        return round.entries;
      },
    },
  );
  if (text === undefined) return paused(turn, pending);
  const finished = await finishTurn(ctx, turn, text, progress.end);
  if (deployment.config.titleModel) writeTitle(ctx, turn, text);
  return finished;
}

/** complete_conversation is applied only if it was the last server tool that was executed (SPEC 3). */
function afterCalls(end: TurnEnd, executed: Round['executed']): TurnEnd {
  const last = executed.at(-1);
  if (!last) return end;
  return {
    ...end,
    openCompletions: end.openCompletions || executed.some(isCompletion),
    completion: isCompletion(last) ? last.callId : null,
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
