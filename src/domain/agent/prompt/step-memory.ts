import { LIMITS } from '../../../contract/limits.ts';
import type { Context } from '../../context.ts';
import type { TimelineEntry } from '../../conversations/timeline.ts';
import type { ModelStep, ReasoningPart } from '../model-port.ts';
import type { AcceptedTurn } from '../turn.ts';

/** What a provider must get back with the calls of a step: reasoning, and data of the calls, such as signatures. */
export interface StepMemory {
  readonly reasoning: readonly ReasoningPart[];
  /** The data of each call, in order. Null: nothing is stored. */
  readonly calls: readonly unknown[];
}

/** The memories of steps, by `stepKey`. */
export type StepMemories = ReadonlyMap<string, StepMemory>;

export function stepKey({ runId, step }: Pick<TimelineEntry, 'runId' | 'step'>): string {
  return `${runId}:${step}`;
}

/** Undefined: the provider needs nothing back. */
export function memoryOf({ reasoning = [], calls }: Pick<ModelStep, 'reasoning' | 'calls'>): StepMemory | undefined {
  const data = calls.map(({ metadata }) => metadata ?? null);
  return reasoning.length > 0 || data.some((one) => one !== null) ? { reasoning, calls: data } : undefined;
}

/** Encrypts the memory of a step as base64. Undefined: it is empty or too large. */
export function sealMemory(
  { services }: Context,
  { runId, model }: Pick<AcceptedTurn, 'runId' | 'model'>,
  step: number,
  result: ModelStep,
): string | undefined {
  const memory = memoryOf(result);
  const text = memory && JSON.stringify({ model, ...memory });
  if (!text || text.length > LIMITS.stepMemoryLength) return undefined;
  return Buffer.from(services.settings.secretBox.seal(text, stepKey({ runId, step }))).toString('base64');
}

/** Opens the memories of stored steps. Those of another model are of no use: it would reject their signatures. */
export function openMemories(ctx: Context, model: string, entries: readonly TimelineEntry[]): Map<string, StepMemory> {
  const memories = new Map<string, StepMemory>();
  for (const entry of entries) {
    const memory = entry.sealedMemory ? opened(ctx, entry, entry.sealedMemory) : undefined;
    if (memory?.model === model) memories.set(stepKey(entry), memory);
  }
  return memories;
}

/** Without its key, a memory is lost, but the turn continues. */
function opened(ctx: Context, entry: TimelineEntry, sealed: string): (StepMemory & { model: string }) | undefined {
  try {
    return JSON.parse(ctx.services.settings.secretBox.open(Buffer.from(sealed, 'base64'), stepKey(entry)));
  } catch (err) {
    ctx.services.process.log.warn({ request_id: ctx.request.id, err }, 'the reasoning of a stored step cannot be read');
    return undefined;
  }
}
