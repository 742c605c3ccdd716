import { UUID_PATTERN } from '../contract/ids.ts';

/** The UUID in lower case. Undefined for anything else, which the input stage rejects. */
export function uuidOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return UUID_PATTERN.test(text) ? text : undefined;
}
