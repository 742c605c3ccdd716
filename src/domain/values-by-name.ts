import { z } from 'zod';
import { LIMITS } from '../contract/limits.ts';

/** A key of variables and meta (WIRE 1). */
export const KEY = /^[A-Za-z0-9_.-]{1,64}$/;

const KEY_RULE = `must have keys of 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`;

/** Values by name. (zod's own record passes over a key named `__proto__`, and its value would be lost silently.) */
export function valuesByName<Value extends z.ZodType>(value: Value, mostKeys: number) {
  return z
    .custom<Readonly<Record<string, z.output<Value>>>>(isObject, 'must be an object')
    .superRefine((map, context) => {
      const entries = Object.entries(map);
      const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
      if (entries.length > mostKeys) return refuse(`must have at most ${mostKeys} keys`);
      if (!entries.every(([key]) => KEY.test(key))) return refuse(KEY_RULE);
      for (const [key, item] of entries) {
        const problem = value.safeParse(item).error?.issues[0];
        if (problem) refuse(problem.message, [key]);
      }
    });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST = `must have at most ${LIMITS.variableLength.toLocaleString('en')} characters`;

/** Initial conversation variables: strings by name (SPEC 4.1, WIRE 1). */
export const variablesInput = valuesByName(
  z.string('must be a string').max(LIMITS.variableLength, LONGEST),
  LIMITS.variables,
);

/** A variable's text: a string as it is, any other value as JSON. */
export function variableText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Variables of a trigger: any JSON by name, each no longer as text than a variable may be (SPEC 4.7). */
export const triggerVariablesInput = valuesByName(
  z.unknown().refine((value) => variableText(value).length <= LIMITS.variableLength, LONGEST),
  LIMITS.variables,
);
