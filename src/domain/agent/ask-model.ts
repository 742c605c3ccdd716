import type { Context } from '../context.ts';
import type { TimelineEntry } from '../conversations/timeline.ts';
import { ModelFailure, type ModelFailureKind, type ModelStep } from './model-port.ts';
import { compileInstructions, compilePrompt } from './prompt.ts';
import { storable } from './storable.ts';
import { type RefusedReply, repairRequest } from './structured-reply.ts';
import type { OfferedTool } from './tools.ts';
import type { Assistant } from './turn.ts';

/** What one model step is asked with. */
export interface StepRequest {
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  /** A reply that was not as the output schema asks, and why: the model is asked to mend it. */
  readonly refused?: RefusedReply | undefined;
  /** Hears the text as it is made; the model waits for the promise that it answers. */
  readonly onText?: ((delta: string) => Promise<void>) | undefined;
}

/** One model step from the stored timeline, timed. @throws {ModelFailure} */
export async function askModel(
  ctx: Context,
  { deployment, model, variables }: Assistant,
  { entries, tools, signal, onText, refused }: StepRequest,
): Promise<ModelStep> {
  const startedAt = ctx.now().getTime();
  const observe = (outcome: 'ok' | ModelFailureKind) =>
    ctx.services.observer.modelAnswered(model, outcome, ctx.now().getTime() - startedAt);
  try {
    const request = {
      model,
      instructions: compileInstructions(deployment.config, variables),
      messages: [...compilePrompt(entries), ...(refused ? repairRequest(refused) : [])],
      tools,
      ...(deployment.config.outputSchema && { outputSchema: deployment.config.outputSchema }),
      timeoutMs: deployment.config.timeoutSeconds * 1_000,
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
