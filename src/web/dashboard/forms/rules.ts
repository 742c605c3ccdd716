import * as z from 'zod/mini';

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

/** A whole number in a text field. An empty field is null. */
export const optionalInteger = (min: number, max: number) => optional(numberFrom(min, max, 'a whole number'));

/** A number in a text field. An empty field is null. */
export const optionalNumber = (min: number, max: number) => optional(numberFrom(min, max, 'a number'));

/** A number in a text field, with or without decimals. */
export const requiredNumber = (min: number, max: number) => converted(z.string(), numberFrom(min, max, 'a number'));

type Conversion<Value> = (text: string, context: z.core.ParsePayload) => Value;

const optional = <Value>(convert: Conversion<Value>) =>
  converted(z.string(), (text, context) => (text.trim() === '' ? null : convert(text, context)));

function numberFrom(min: number, max: number, what: 'a number' | 'a whole number'): Conversion<number> {
  return (text, context) => {
    const value = Number(text);
    const isAllowed = what === 'a number' || Number.isInteger(value);
    if (text.trim() !== '' && isAllowed && value >= min && value <= max) return value;
    addProblem(context, `Enter ${what} from ${min} to ${max.toLocaleString('en')}.`);
    return z.NEVER;
  };
}

/** Rows of a name and a value. */
export const pairs = z.array(z.object({ name: z.string(), value: z.string() }));

/** A JSON object in a text field. */
export const jsonObject = converted(z.string(), objectIn);

/** A JSON object in a text field. An empty field is null. */
export const optionalJsonObject = optional(objectIn);

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
