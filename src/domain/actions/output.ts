import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import type { Mask } from './secrets.ts';

/** Deeper levels are useless to a model and would exhaust the stack. */
const DEEPEST = 32;

/** Prepares a response for the model: masks secrets and limits the length. The note precedes that of a limited length. */
export function modelOutput(value: unknown, mask: Mask, note?: string): Readonly<Record<string, unknown>> {
  const masked = maskedValue(value, mask, 0);
  const text = typeof masked === 'string' ? masked : (JSON.stringify(masked) ?? 'null');
  if (text.length <= LIMITS.actionOutputLength) return { content: masked, ...(note !== undefined && { note }) };
  const [shown, all] = [LIMITS.actionOutputLength, text.length].map(formatCount);
  const cut = `Cut off: these are the first ${shown} of ${all} characters. Ask for less if you need the rest.`;
  return {
    content: text.slice(0, LIMITS.actionOutputLength),
    note: note === undefined ? cut : `${note} ${cut}`,
  };
}

function maskedValue(value: unknown, mask: Mask, level: number): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level >= DEEPEST) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask, level + 1));
  const entries = Object.entries(value).map(([key, inner]) => [mask(key), maskedValue(inner, mask, level + 1)]);
  return Object.fromEntries(entries);
}
