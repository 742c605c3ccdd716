import type { Context } from '../context.ts';
import type { TimelineEntry } from '../conversations/timeline.ts';
import { ModelFailure, type ModelFailureKind, type ModelStep } from './model-port.ts';
import { compileInstructions, compilePrompt } from './prompt.ts';
import { storable } from './storable.ts';
import type { OfferedTool } from './tools.ts';
import type { AcceptedTurn } from './turn.ts';

interface Step {
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  /** Hears the text as it is made; the model waits for the promise that it answers. */
  readonly onText?: ((delta: string) => Promise<void>) | undefined;
}

/** One model step from the stored timeline, timed. @throws {ModelFailure} */
export async function askModel(
  ctx: Context,
  turn: AcceptedTurn,
  { entries, tools, signal, onText }: Step,
): Promise<ModelStep> {
  const startedAt = ctx.now().getTime();
  const observe = (outcome: 'ok' | ModelFailureKind) =>
    ctx.services.observer.modelAnswered(turn.model, outcome, ctx.now().getTime() - startedAt);
  try {
    const request = {
      model: turn.model,
      instructions: compileInstructions(turn),
      messages: compilePrompt(entries),
      tools,
      timeoutMs: turn.deployment.config.timeoutSeconds * 1_000,
      signal,
    };
    const answer = await ctx.services.model.step(request, onText);
    observe('ok');
    return storable(answer);
  } catch (error) {
    observe(error instanceof ModelFailure ? error.kind : 'failed');
    throw error;
  }
}
