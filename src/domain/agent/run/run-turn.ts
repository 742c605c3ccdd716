import { addUsage, NO_USAGE } from '../../../contract/token-usage.ts';
import { Spending } from '../../budgets/spending.ts';
import { placeOfRun } from '../../budgets/spending-place.ts';
import type { Context } from '../../context.ts';
import { type HistoryLimit, isUserMessage, recentTimeline, type TimelineEntry } from '../../conversations/timeline.ts';
import type { LiveTurn } from '../live/live-turn.ts';
import { TurnContext } from '../prompt/turn-context.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { settleFailedTurn } from '../settle/failed-turn.ts';
import { finishTurn } from '../settle/settle.ts';
import { isCompletion } from '../tools/calls.ts';
import type { TracedStep } from '../trace/span.ts';
import { TurnTrace } from '../trace/turn-trace.ts';
import type { AcceptedTurn, PausedTurn, TurnEnd, TurnResult } from '../turn.ts';
import { askToRaise, requireRaise } from './ask-to-raise.ts';
import { modelReply } from './model-loop.ts';
import { finishOpenStep } from './open-step.ts';
import { type Round, storeRound } from './round.ts';
import { writeTitle } from './title.ts';

/**
 * Runs an accepted turn until it ends or pauses. It stores each model step before the next one starts. No transaction
 * is open while a model or a tool runs. The turn does not depend on the client's connection.
 * @param stream the text of a streamed reply, which its reader follows. Its partial reply is kept if the model fails.
 * @throws {ServiceError} model_error or model_timeout, with the conversation and the run
 * @throws {LeaseLostError} if another process took the run over, and the turn was resumed or can be continued
 */
export function runTurn(ctx: Context, turn: AcceptedTurn, stream?: LiveTurn): Promise<TurnResult> {
  const { runs, liveTurns, tracing } = ctx.services.process;
  const { runId, conversation, deployment } = turn;
  const work = () =>
    runs.work({ environmentId: ctx.environment.id, id: runId }, async (stopped) => {
      const running = {
        ...turn,
        live: stream ?? liveTurns.open(ctx.environment.id, turn),
        trace: new TurnTrace(ctx, deployment.keepsTraces),
        spending: deployment.hasBudgets ? spendingOf(ctx, turn) : undefined,
      };
      const progress: Progress = {
        end: turn.end ?? { step: turn.step, usage: NO_USAGE, openCompletions: false, completion: null },
        signal: stopped,
      };
      try {
        return await runSteps(ctx, running, progress);
      } catch (error) {
        const isStreamed = stream !== undefined;
        return await settleFailedTurn(ctx, running, progress.end, { error, isStreamed, stopped });
      } finally {
        liveTurns.closeTurn(running.live);
      }
    });
  if (!tracing) return work();
  const facts = { runId, conversationId: conversation.id, deploymentId: deployment.id, requestId: ctx.request.id };
  return tracing.turn(facts, work);
}

function spendingOf(ctx: Context, { runId, fence, conversation, deployment }: AcceptedTurn): Spending {
  const place = placeOfRun(ctx, deployment, conversation.id, runId);
  return new Spending(ctx, { workId: runId, fence, place });
}

/** The progress of a turn. If a step fails, the turn is settled with it. */
interface Progress {
  end: TurnEnd;
  readonly signal: AbortSignal;
}

async function runSteps(ctx: Context, turn: RunningTurn, progress: Progress): Promise<TurnResult> {
  const { deployment, model, conversation, live, spending } = turn;
  // A reply with an output schema arrives as a whole after its step was counted.
  const ahead = deployment.config.outputSchema ? 0 : 1;
  const stored = turn.entries ?? (await recentTimeline(ctx, conversation.id, turn.historyLimit));
  const { entries, ...open } = await finishOpenStep(ctx, turn, stored, progress.end, progress.signal);
  let { pending } = open;
  if (pending.length > 0) return paused(turn, pending);
  if (turn.resumed) requireRaise(entries, turn);
  const context = new TurnContext(ctx, turn);
  const continues = isContinued(turn.historyLimit, entries);
  if (continues) spending?.continue(conversation.countedPrompt);
  const next = () => {
    const step = progress.end.step + 1;
    return { step, signal: progress.signal, trace: (traced: TracedStep) => turn.trace.addStep(step, traced) };
  };
  const replying = modelReply(ctx, { deployment, model, variables: conversation.variables, spending }, entries, {
    stepsDone: progress.end.step - turn.step,
    tools: turn.tools,
    isContinued: continues,
    signal: progress.signal,
    onText: (delta) => live.write(progress.end.step + ahead, delta),
    onReasoning: (delta) => live.think(progress.end.step + 1, delta),
    isWatched: () => ctx.services.process.liveTurns.isWatched(conversation.id),
    trace: (step) => next().trace(step),
    fit: (timeline) => context.fit(timeline, next()),
    shorten: (timeline) => context.shorten(timeline, next()),
    count(usage) {
      progress.end = { ...progress.end, usage: addUsage(progress.end.usage, usage) };
    },
    answered(answer) {
      const { end } = progress;
      context.count(answer);
      const { tokens: contextTokens } = context;
      progress.end = { ...end, step: end.step + 1, contextTokens };
    },
    async called(answer) {
      const round = await storeRound(ctx, turn, answer, progress.end, progress.signal);
      pending = round.pending;
      if (pending.length > 0) return undefined;
      progress.end = afterCalls(progress.end, round.executed);
      return round.entries;
    },
  });
  const reply = await replying.catch(async (error: unknown) => {
    pending = await askToRaise(ctx, turn, progress.end, error);
    return undefined;
  });
  if (!reply) return paused(turn, pending);
  const finished = await finishTurn(ctx, turn, reply, progress.end);
  if (deployment.config.titleModel) writeTitle(ctx, turn, reply.text);
  return finished;
}

/** Whether the prompt of the next turn begins like this one. With a history limit that is reached, it begins later. */
function isContinued(historyLimit: HistoryLimit, entries: readonly TimelineEntry[]): boolean {
  return historyLimit === null || entries.filter(isUserMessage).length <= historyLimit;
}

/** complete_conversation applies only if it was the last server tool that ran. */
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
