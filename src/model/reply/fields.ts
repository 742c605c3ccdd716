import { roughNumber } from '../../contract/exact-json.ts';
import { unreadable } from '../unreadable.ts';

/** The fields of a JSON object, of any types. */
export type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the value is missing or null. @throws if it is another value than an object */
export function optionalFields(value: unknown): Fields | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  throw unreadable('An event of the reply has an unknown form.', value);
}

/** @throws if the value is no object */
export function fieldsOf(value: unknown): Fields {
  const fields = optionalFields(value);
  if (fields) return fields;
  throw unreadable('An event of the reply has an unknown form.', value);
}

/** Undefined if the field is missing, null or empty. @throws if it is of another type */
export function optionalText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (value === undefined || value === null) return undefined;
  throw unreadable('An event of the reply has an unknown form.', value);
}

/** A list without its empty items. Empty if the value is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item) => item !== null && item !== undefined) : [];
}

/** A token count of a provider: 0 if it is not a number. */
export function countOf(value: unknown): number {
  // `1e999` is a number in JSON.
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, roughNumber(value) ?? 0));
}

/** Whether a text is whole JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
