import { z } from 'zod';
import { TOOL_NAME_PATTERN } from '../../contract/tool-names.ts';
import { schemaProblem } from '../json-schema.ts';

/** A tenant's JSON Schema, which this service will run. */
export const jsonSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const problem = schemaProblem(schema);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** A whole number from `least` to `most`. */
export function within(least: number, most: number) {
  const rule = `must be from ${least} to ${most}`;
  return z.int('must be a whole number').min(least, rule).max(most, rule);
}

/** A text of at most so many characters. */
export function atMost(length: number) {
  return z.string().max(length, `must have at most ${length.toLocaleString('en')} characters`);
}

/** What the model calls a tool. */
export const toolName = z
  .string()
  .regex(TOOL_NAME_PATTERN, 'must be 1 to 64 letters, digits, "_" or "-", beginning with a letter');
