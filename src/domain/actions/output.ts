import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import type { Mask } from './secrets.ts';

/** Deeper levels are useless to a model and would exhaust the stack. */
const DEEPEST = 32;

/** The longest form of a secret. A secret that begins within the shown characters can end after them. */
const LONGEST_SECRET = 16 * 1024;

/** Prepares a response for the model: masks secrets and limits the length. The note precedes that of a limited length. */
export function modelOutput(value: unknown, mask: Mask, note?: string): Readonly<Record<string, unknown>> {
  const bounded = boundedValue(value, 0);
  const text = typeof bounded === 'string' ? bounded : (JSON.stringify(bounded) ?? 'null');
  // Masking takes long, so it is done last, and only for what the model gets.
  if (text.length <= LIMITS.actionOutputLength) {
    return { content: maskedValue(bounded, mask), ...(note !== undefined && { note }) };
  }
  const [shown, all] = [LIMITS.actionOutputLength, text.length].map(formatCount);
  const cut = `Cut off: these are the first ${shown} of ${all} characters. Ask for less if you need the rest.`;
  return {
    content: mask(text.slice(0, LIMITS.actionOutputLength + LONGEST_SECRET)).slice(0, LIMITS.actionOutputLength),
    note: note === undefined ? cut : `${note} ${cut}`,
  };
}

function boundedValue(value: unknown, level: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (level >= DEEPEST) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item) => boundedValue(item, level + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, boundedValue(inner, level + 1)]));
}

function maskedValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mask(key), maskedValue(inner, mask)]));
}
