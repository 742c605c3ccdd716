import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { readForModel } from '../../files/read-for-model.ts';
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
import type { StepMemories } from './step-memory.ts';
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
  /** What the provider gets back of earlier steps. */
  readonly memories?: StepMemories;
  readonly onReasoning?: ModelRequest['onReasoning'];
  /** Receives the step for the trace of its run. Undefined: nobody can read one. */
  readonly trace?: ((step: TracedStep) => void) | undefined;
}

/** Runs one model step and measures its time. @throws {ModelError} */
export async function runModelStep(
  ctx: Context,
  { deployment, model, variables }: Assistant,
  { onText, trace, ...question }: StepRequest,
): Promise<ModelStep> {
  const { services } = ctx;
  const startedAt = ctx.now();
  const startedMs = services.monotonicMs();
  const failures: ProviderFailure[] = [];
  const observe = (outcome: 'ok' | ModelErrorKind) =>
    services.observer.modelAnswered(model, outcome, elapsedMs(services, startedMs));
  const record = (request: ModelRequest, result: TracedStep['result']) =>
    trace?.({ request, failures, result, startedAt, durationMs: elapsedMs(services, startedMs) });
  const request = requestOf(ctx, { deployment, model, variables }, question, failures);
  try {
    const { tracing, model: models } = services;
    const step = storable(
      await (tracing ? tracing.modelStep(request, () => models.step(request, onText)) : models.step(request, onText)),
    );
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
  ctx: Context,
  { deployment, model, variables }: Assistant,
  { entries, tools, signal, isWatched, invalid, memories, onReasoning }: Omit<StepRequest, 'onText' | 'trace'>,
  failures: ProviderFailure[],
): ModelRequest {
  return {
    model,
    instructions: compileInstructions(deployment.config, variables),
    messages: [...compilePrompt(entries, memories), ...(invalid ? repairRequest(invalid) : [])],
    tools,
    ...(deployment.config.outputSchema && { outputSchema: deployment.config.outputSchema }),
    reasoningEffort: deployment.config.reasoningEffort,
    readStoredFile: (uri, mostBytes) => readForModel(ctx, uri, mostBytes),
    timeoutMs: deployment.config.timeoutSeconds * 1_000,
    signal,
    isWatched,
    ...(deployment.config.reasoning === 'shown' && { onReasoning }),
    onFailure: (failure) => failures.push(failure),
  };
}
