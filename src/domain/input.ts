import type { z } from 'zod';
import { ServiceError } from '../contract/errors.ts';

/** The number of invalid fields that an error lists. */
const MOST_ISSUES = 20;

/**
 * Validates the input of a caller. Messages of a schema complete a sentence (`must not be blank`): the transport adds
 * the field's name in its own spelling.
 * @throws {ServiceError} invalid_request, about the first invalid field, with all of them in `issues`
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: reason });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MOST_ISSUES).map(({ path, message }) => ({
    path: path.filter((step) => typeof step !== 'symbol'),
    message: `{param} ${message}.`,
  }));
  const [first = { path: [], message: '{param} is not valid.' }] = issues;
  throw new ServiceError('invalid_request', first.message, { param: first.path, issues });
}

/** The message for a problem that has no message in its schema. */
export function reason(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined || issue.input === null) return 'is required';
  const article = /^[aeio]/.test(issue.expected) ? 'an' : 'a';
  return `must be ${article} ${issue.expected === 'record' ? 'object' : issue.expected}`;
}
