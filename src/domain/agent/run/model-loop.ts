import type { Usage } from '../../../contract/token-usage.ts';
import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import { ModelError, type ModelStep, type TextListener } from '../model-port.ts';
import { memoryOf, openMemories, type StepMemory, stepKey } from '../prompt/step-memory.ts';
import { isOverflow } from '../prompt/summarize.ts';
import { invalidReply } from '../structured-reply.ts';
import type { OfferedTool } from '../tools/offered-tool.ts';
import type { Assistant, ModelReply } from '../turn.ts';
import { runModelStep, type StepRequest } from './model-step.ts';

/** How a turn or a one-shot run handles the steps of its model. */
export interface ModelLoop {
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  /** Receives the reply in pieces. A reply with an output schema arrives as a whole, after it was checked. */
  readonly onText?: TextListener | undefined;
  /** Receives the reasoning in pieces, if the workflow shows it. */
  readonly onReasoning?: TextListener | undefined;
  /** Whether somebody reads the text while it is written. */
  readonly isWatched?: (() => boolean) | undefined;
  /** Whether the next message continues the prompt of this one. */
  readonly isContinued: boolean;
  /** The steps that an earlier process ran. Default: 0. */
  readonly stepsDone?: number | undefined;
  /** Receives each step, with or without a result, for the trace. */
  readonly trace?: StepRequest['trace'];
  /** The timeline for the next step. Undefined: it stays as it is. */
  readonly fit?: ((timeline: readonly TimelineEntry[]) => Promise<readonly TimelineEntry[]>) | undefined;
  /** A shorter timeline, after the provider said that this one is too long. */
  readonly shorten?: ((timeline: readonly TimelineEntry[]) => Promise<readonly TimelineEntry[]>) | undefined;
  /** Receives what a step used, even if it was stopped or failed. */
  count(usage: Usage): void;
  /** Receives each step with a result. */
  answered(step: ModelStep): void;
  /** Handles the calls of a step. Returns their entries for the next step, or undefined to end the loop. */
  called(step: ModelStep): Promise<readonly TimelineEntry[] | undefined>;
}

/**
 * Runs model steps until the model replies without calling a tool. After `maxSteps` steps the model must not call
 * tools. A reply
 * that does not match the output schema is requested once more. Returns undefined if `called` ended the loop.
 * @param entries the conversation before the first step
 * @throws {ModelError}
 */
export async function modelReply(
  ctx: Context,
  assistant: Assistant,
  entries: readonly TimelineEntry[],
  loop: ModelLoop,
): Promise<ModelReply | undefined> {
  const { outputSchema, maxSteps } = assistant.deployment.config;
  let timeline = entries;
  const memories = openMemories(ctx, assistant.model, entries);
  const runStep = async (question: Question) => {
    const onText = outputSchema ? undefined : loop.onText;
    const { tools, signal, isContinued, isWatched, onReasoning, trace, count } = loop;
    const live = { onText, onReasoning, isWatched };
    const ask = (reportsOverflow: boolean) =>
      runModelStep(ctx, assistant, {
        ...question,
        ...live,
        ...{ entries: timeline, memories, tools },
        ...{ isContinued, signal, trace, count, reportsOverflow },
      });
    const askShorter = async (error: unknown) => {
      if (!loop.shorten || !isOverflow(error)) throw error;
      timeline = await loop.shorten(timeline);
      return ask(false);
    };
    timeline = (await loop.fit?.(timeline)) ?? timeline;
    const step = await ask(loop.shorten !== undefined).catch(askShorter);
    loop.answered(step);
    return step;
  };
  for (let count = loop.stepsDone ?? 0; ; count += 1) {
    const mayCall = count < maxSteps;
    const step = await runStep({ toolChoice: mayCall ? 'auto' : 'none' });
    if (!mayCall || step.calls.length === 0) {
      const reply = await finalAnswer(assistant, step, runStep);
      if (outputSchema) await loop.onText?.(reply.text);
      return { text: reply.text, finishReason: mayCall ? reply.finishReason : 'max_steps' };
    }
    const results = await loop.called(step);
    if (!results) return undefined;
    keepMemory(memories, step, results);
    timeline = [...timeline, ...results];
  }
}

/** Keeps what the provider needs of a step for the later steps of the turn. */
function keepMemory(kept: Map<string, StepMemory>, step: ModelStep, [first]: readonly TimelineEntry[]): void {
  const memory = memoryOf(step);
  if (first && memory) kept.set(stepKey(first), memory);
}

type Question = Pick<StepRequest, 'toolChoice' | 'invalid'>;

type RunStep = (question: Question) => Promise<ModelStep>;

/** Returns the reply, or a second one if the first does not match the output schema. @throws {ModelError} */
async function finalAnswer(
  { deployment: { config } }: Assistant,
  step: ModelStep,
  runStep: RunStep,
): Promise<ModelStep> {
  const invalid = invalidReply(config, step.text);
  if (!invalid) return step;
  const second = await runStep({ toolChoice: 'none', invalid });
  if (!invalidReply(config, second.text)) return second;
  const message = "The model's reply does not match the output schema.";
  throw new ModelError('failed', message, { reason: 'output_schema_mismatch' });
}
