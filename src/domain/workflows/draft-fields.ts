import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { TOOL_NAME_PATTERN } from '../../contract/tool-names.ts';
import { isObject, type Schema } from '../json-schema/schema.ts';

/** An unvalidated JSON Schema. It is not a zod record, because that would drop a key `__proto__`. */
export const schemaInput = z.custom<Schema>(isObject, 'must be an object');

/** Any object. Like a schema, it is not a zod record. */
export const objectInput = z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object');

export function within(min: number, max: number) {
  const rule = `must be from ${min} to ${max}`;
  return z.int('must be a whole number').min(min, rule).max(max, rule);
}

/** A tool name. */
export const toolName = z
  .string()
  .regex(
    TOOL_NAME_PATTERN,
    `must be 1 to ${LIMITS.toolNameLength} letters, digits, "_" or "-", starting with a letter`,
  );
