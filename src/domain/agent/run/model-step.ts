import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { elapsedMs } from '../../telemetry.ts';
import {
  ModelError,
  type ModelErrorKind,
  type ModelRequest,
  type ModelStep,
  type ProviderFailure,
  type TextListener,
} from '../model-port.ts';
import { storable } from '../settle/storable.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { TracedStep } from '../trace/span.ts';
import type { Assistant } from '../turn.ts';
import { compileInstructions, compilePrompt } from './prompt.ts';
import { type InvalidReply, repairRequest } from './structured-reply.ts';

/** The input of one model step. */
export interface StepRequest {
  readonly entries: readonly TimelineEntry[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  /** A reply that did not match the output schema. The model is asked to correct it. */
  readonly invalid?: InvalidReply | undefined;
  /** Receives the text in pieces. The model waits for the promise that it returns, if any. */
  readonly onText?: TextListener | undefined;
  readonly isWatched?: ModelRequest['isWatched'];
  /** Receives the step for the trace of its run. Undefined: nobody can read one. */
  readonly trace?: ((step: TracedStep) => void) | undefined;
}

/** Runs one model step and measures its time. @throws {ModelError} */
export async function runModelStep(
  ctx: Context,
  { deployment, model, variables }: Assistant,
  { entries, tools, signal, onText, isWatched, invalid, trace }: StepRequest,
): Promise<ModelStep> {
  const { services } = ctx;
  const startedAt = ctx.now();
  const startedMs = services.monotonicMs();
  const failures: ProviderFailure[] = [];
  const observe = (outcome: 'ok' | ModelErrorKind) =>
    services.observer.modelAnswered(model, outcome, elapsedMs(services, startedMs));
  const record = (request: ModelRequest, result: TracedStep['result']) =>
    trace?.({ request, failures, result, startedAt, durationMs: elapsedMs(services, startedMs) });
  const request = requestOf({ deployment, model, variables }, { entries, tools, signal, isWatched, invalid }, failures);
  try {
    const step = storable(await services.model.step(request, onText));
    observe('ok');
    record(request, step);
    return step;
  } catch (error) {
    observe(error instanceof ModelError ? error.kind : 'failed');
    record(request, error);
    throw error;
  }
}

function requestOf(
  { deployment, model, variables }: Assistant,
  { entries, tools, signal, isWatched, invalid }: StepRequest,
  failures: ProviderFailure[],
): ModelRequest {
  return {
    model,
    instructions: compileInstructions(deployment.config, variables),
    messages: [...compilePrompt(entries), ...(invalid ? repairRequest(invalid) : [])],
    tools,
    ...(deployment.config.outputSchema && { outputSchema: deployment.config.outputSchema }),
    timeoutMs: deployment.config.timeoutSeconds * 1_000,
    signal,
    isWatched,
    onFailure: (failure) => failures.push(failure),
  };
}
