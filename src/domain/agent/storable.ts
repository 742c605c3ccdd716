import type { ModelStep } from './model-port.ts';

/** What a model said, without what PostgreSQL cannot store: NUL characters and halves of surrogate pairs. */
export function storable(step: ModelStep): ModelStep {
  return { ...step, text: storableText(step.text), calls: step.calls.map((call) => cleanValue(call) as typeof call) };
}

/** The same for a text alone. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), cleanValue(inner)]));
}
