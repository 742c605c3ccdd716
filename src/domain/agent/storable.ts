import type { ModelStep } from './model-port.ts';

/** What a model said, without what PostgreSQL cannot store: NUL characters and halves of surrogate pairs. */
export function storable(step: ModelStep): ModelStep {
  return {
    ...step,
    text: storableText(step.text),
    calls: step.calls.map((call) => storableValue(call) as typeof call),
  };
}

/** The same for a text alone. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** The same for all texts and keys of a value. */
export function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), storableValue(inner)]));
}
