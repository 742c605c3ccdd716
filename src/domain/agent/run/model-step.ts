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
import { storable } from '../rows/storable.ts';
import { type InvalidReply, repairRequest } from '../structured-reply.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { TracedStep } from '../trace/span.ts';
import type { Assistant } from '../turn.ts';
import { compileInstructions, compilePrompt } from './prompt.ts';
import type { StepMemories } from './step-memory.ts';

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
  { deployment: { config }, model, variables }: Assistant,
  { entries, tools, signal, invalid, memories, isWatched, onText, onReasoning, trace }: StepRequest,
): Promise<ModelStep> {
  const { process, ports } = ctx.services;
  const startedAt = ctx.now();
  const startedMs = process.monotonicMs();
  const failures: ProviderFailure[] = [];
  const request: ModelRequest = {
    model,
    instructions: compileInstructions(config, variables),
    messages: [...compilePrompt(entries, memories), ...(invalid ? repairRequest(invalid) : [])],
    tools,
    ...(config.outputSchema && { outputSchema: config.outputSchema }),
    reasoningEffort: config.reasoningEffort,
    maxReplyTokens: config.maxReplyTokens,
    temperature: config.temperature,
    stopSequences: config.stopSequences,
    readStoredFile: (uri, mostBytes) => readForModel(ctx, uri, mostBytes),
    timeoutMs: config.timeoutSeconds * 1_000,
    signal,
    isWatched,
    ...(config.reasoning === 'shown' && { onReasoning }),
    onFailure: (failure) => failures.push(failure),
  };
  const report = (outcome: 'ok' | ModelErrorKind, result: TracedStep['result']) => {
    const durationMs = elapsedMs(process, startedMs);
    process.observer.modelAnswered(model, outcome, durationMs);
    trace?.({ request, failures, result, startedAt, durationMs });
  };
  try {
    const ask = async () => storable(await ports.model.step(request, onText));
    const step = await (process.tracing ? process.tracing.modelStep(request, ask) : ask());
    report('ok', step);
    return step;
  } catch (error) {
    report(error instanceof ModelError ? error.kind : 'failed', error);
    throw error;
  }
}
