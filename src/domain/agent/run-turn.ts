import { ServiceError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { recentTimeline } from '../conversations/timeline.ts';
import { ModelFailure, type ModelFailureKind, type ModelRequest, type ModelStep } from './model-port.ts';
import { compileInstructions, compilePrompt } from './prompt.ts';
import { storeRound } from './round.ts';
import { RunLost } from './run-lost.ts';
import { failTurn, finishTurn, type Usage } from './settle.ts';
import { storable } from './storable.ts';
import type { AcceptedTurn, FinishedTurn } from './turn.ts';

/** Rounds of one turn in which the model may call tools; after them it has to answer (WIRE 7). */
const MAX_STEPS = 16;

interface Progress {
  step: number;
  usage: Usage;
}

/**
 * Works an accepted turn to its end, one stored model step at a time. No transaction is open while the model works.
 * @throws {ServiceError} model_error or model_timeout, with the conversation and the run
 */
export function runTurn(ctx: Context, turn: AcceptedTurn): Promise<FinishedTurn> {
  return ctx.services.runs.work(turn.runId, async (signal) => {
    const progress: Progress = { step: turn.step, usage: { inputTokens: 0, outputTokens: 0 } };
    try {
      return await runSteps(ctx, turn, progress, signal);
    } catch (error) {
      throw await giveUp(ctx, turn, progress, error);
    }
  });
}

async function runSteps(ctx: Context, turn: AcceptedTurn, progress: Progress, signal: AbortSignal) {
  const entries = await recentTimeline(ctx, turn.conversation.id, turn.historyLimit);
  for (;;) {
    progress.step += 1;
    const { step } = progress;
    const tools = step <= MAX_STEPS ? turn.tools : [];
    const request = {
      model: turn.model,
      instructions: compileInstructions(turn),
      messages: compilePrompt(entries),
      tools,
      timeoutMs: turn.deployment.config.timeoutSeconds * 1_000,
      signal,
    };
    const answer = await askModel(ctx, request);
    progress.usage = add(progress.usage, answer);
    const { usage } = progress;
    if (answer.calls.length === 0 || step > MAX_STEPS) {
      return finishTurn(ctx, turn, { text: answer.text, step, usage });
    }
    entries.push(...(await storeRound(ctx, turn, { step, answer, usage })));
  }
}

/** One model step, timed. */
async function askModel(ctx: Context, request: ModelRequest): Promise<ModelStep> {
  const startedAt = ctx.now().getTime();
  const observe = (outcome: 'ok' | ModelFailureKind) =>
    ctx.services.observer.modelAnswered(request.model, outcome, ctx.now().getTime() - startedAt);
  try {
    const answer = storable(await ctx.services.model.step(request));
    observe('ok');
    return answer;
  } catch (error) {
    observe(error instanceof ModelFailure ? error.kind : 'failed');
    throw error;
  }
}

function add(usage: Usage, step: ModelStep): Usage {
  return {
    inputTokens: usage.inputTokens + step.inputTokens,
    outputTokens: usage.outputTokens + step.outputTokens,
  };
}

/** Settles a turn that cannot go on, and says to its caller what became of it. */
async function giveUp(ctx: Context, turn: AcceptedTurn, { step, usage }: Progress, error: unknown): Promise<unknown> {
  const answer = answerTo(turn, error);
  const facts = { request_id: ctx.requestId, run_id: turn.runId, conversation_id: turn.conversation.id };
  // A provider's fault can repeat what the user wrote, so only its kind is logged.
  const fault = error instanceof ModelFailure ? { fault: error.message, kind: error.kind } : { err: error };
  ctx.services.log.warn({ ...facts, ...fault }, 'a turn failed');
  // Whoever settled a lost run has logged it; the lease of one that cannot be settled now will run out.
  if (!(error instanceof RunLost)) {
    const errorCode = answer instanceof ServiceError ? answer.code : 'internal_error';
    await failTurn(ctx, turn, { step, usage, errorCode }).catch((cause: unknown) =>
      ctx.services.log.error({ ...facts, err: cause }, 'a failed turn could not be settled'),
    );
  }
  return answer;
}

function answerTo({ conversation, runId }: AcceptedTurn, error: unknown): unknown {
  const facts = { conversation_id: conversation.id, run_id: runId };
  if (error instanceof ModelFailure && error.kind === 'timeout') {
    return new ServiceError('model_timeout', `${error.message} Your message is kept; send the next one.`, { facts });
  }
  if (error instanceof ModelFailure && error.kind === 'failed') {
    return new ServiceError('model_error', `${error.message} Your message is kept; send the next one.`, { facts });
  }
  if (error instanceof ModelFailure || error instanceof RunLost) {
    const message = 'The turn was stopped before the assistant answered. Your message is kept; send the next one.';
    return new ServiceError('model_error', message, { facts });
  }
  return error;
}
