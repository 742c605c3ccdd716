import { LIMITS } from '../../../contract/limits.ts';
import type { JsonObject } from '../../../sdk/index.ts';
import { texts } from '../../texts/current.ts';
import { formatBytes } from '../../ui/numbers.ts';

/** Reads a JSON object that a user has entered. Returns an error text if it is not one. */
export function readObject(text: string): JsonObject | string {
  const t = texts().result;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return t.notJson;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return t.notObject;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes <= LIMITS.toolOutputBytes) return value as JsonObject;
  return t.tooLarge(formatBytes(bytes), formatBytes(LIMITS.toolOutputBytes));
}
