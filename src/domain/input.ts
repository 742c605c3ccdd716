import { z } from 'zod';
import { ServiceError } from '../contract/errors.ts';

const LONGEST_NAME = 100;

/** What people call something by. */
export const nameText = z
  .string()
  .max(LONGEST_NAME, `must have at most ${LONGEST_NAME} characters`)
  .refine((text) => text.trim() !== '', 'must not be blank');

/**
 * Checks what a caller sent. Schemas say what a field must be (`must not be blank`); the field's name is put
 * before it by the door the request came through.
 * @throws {ServiceError} invalid_request, for the first field that is wrong
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: reason });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = (issue?.path ?? []).filter((step) => typeof step !== 'symbol');
  throw new ServiceError('invalid_request', `{param} ${issue?.message ?? 'is not valid'}.`, { param });
}

/** Words for what a schema does not say itself. */
export function reason(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined || issue.input === null) return 'is required';
  const article = /^[aeio]/.test(issue.expected) ? 'an' : 'a';
  return `must be ${article} ${issue.expected === 'record' ? 'object' : issue.expected}`;
}
