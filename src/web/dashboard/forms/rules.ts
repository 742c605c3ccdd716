import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';

// The content security policy forbids eval, which zod would otherwise try when it creates a schema. Every module with a
// schema imports this one, so the setting comes first.
z.config({ jitless: true });

/** A schema that also converts its output. */
export const converted = <Schema extends z.ZodMiniType, Output>(
  schema: Schema,
  convert: (value: z.output<Schema>, context: z.core.ParsePayload) => Output,
) => z.pipe(schema, z.transform(convert));

/** Reports a problem from a conversion. `field` names a field of the value. */
export function addProblem({ issues, value }: z.core.ParsePayload, message: string, field?: string): void {
  issues.push({ code: 'custom', input: value, message, ...(field !== undefined && { path: [field] }) });
}

/** Text that must not be blank, like `requiredText('a name', 100)`. */
export const requiredText = (what: string, max: number) =>
  z.string().check(
    z.refine((text) => text.trim() !== '', `Enter ${what}.`),
    z.maxLength(max, tooLong(max)),
  );

export const optionalText = (max: number) => z.string().check(z.maxLength(max, tooLong(max)));

const tooLong = (max: number) => `Enter at most ${max.toLocaleString('en')} characters.`;

/** The longest length of a list, like `atMost(20, 'headers')`. */
export const atMost = (max: number, what: string) => z.maxLength(max, `Use at most ${max} ${what}.`);

const PASSWORD_LENGTH = `${LIMITS.minPasswordLength} to ${LIMITS.passwordLength} characters.`;

export const PASSWORD_HINT = `Use ${PASSWORD_LENGTH}`;

export const newPassword = z
  .string()
  .check(
    z.minLength(LIMITS.minPasswordLength, `Enter ${PASSWORD_LENGTH}`),
    z.maxLength(LIMITS.passwordLength, `Enter ${PASSWORD_LENGTH}`),
  );

/** A whole number in a text field. An empty field is null. */
export const optionalInteger = (min: number, max: number) =>
  converted(z.string(), (text, context) => {
    if (text.trim() === '') return null;
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    addProblem(context, `Enter a whole number from ${min} to ${max.toLocaleString('en')}.`);
    return z.NEVER;
  });

/** A number in a text field, with or without decimals. */
export const requiredNumber = (min: number, max: number) =>
  converted(z.string(), (text, context) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= min && value <= max) return value;
    addProblem(context, `Enter a number from ${min} to ${max.toLocaleString('en')}.`);
    return z.NEVER;
  });

/** A JSON object in a text field. */
export const jsonObject = converted(z.string(), objectIn);

/** A JSON object in a text field. An empty field is null. */
export const optionalJsonObject = converted(z.string(), (text, context) =>
  text.trim() === '' ? null : objectIn(text, context),
);

function objectIn(text: string, context: z.core.ParsePayload): Record<string, unknown> {
  const { value, problem } = parseJsonObject(text);
  if (value) return value;
  addProblem(context, problem);
  return z.NEVER;
}

/** Any JSON value, or what is wrong with the text. */
export type ParsedJson = { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string };

export function parseJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}.` };
  }
}

type ParsedObject =
  | { readonly value: Record<string, unknown>; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** A JSON object, or what is wrong with the text. */
export function parseJsonObject(text: string): ParsedObject {
  const parsed = parseJson(text);
  if (parsed.problem !== undefined) return parsed;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'Enter a JSON object: { … }.' };
  }
  return { value: value as Record<string, unknown> };
}

/** JSON as forms and comparisons show it. */
export const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);
