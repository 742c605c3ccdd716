import { z } from 'zod';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { parseInput } from './input.ts';

/** A key of variables and meta (WIRE 1). */
export const KEY = new RegExp(`^[A-Za-z0-9_.-]{1,${LIMITS.keyLength}}$`);

const KEY_RULE = `must have keys of 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`;

/** Values by any key. Zod's own record silently drops a key named `__proto__`. */
export function valuesByAnyKey<Value extends z.ZodType>(value: Value, maxKeys: number) {
  return z
    .custom<Readonly<Record<string, z.output<Value>>>>(isObject, 'must be an object')
    .superRefine((map, context) => {
      const entries = Object.entries(map);
      const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
      if (entries.length > maxKeys) return refuse(`must have at most ${maxKeys} keys`);
      for (const [key, item] of entries) {
        const problem = value.safeParse(item).error?.issues[0];
        if (problem) refuse(problem.message, [key]);
      }
    });
}

/** Values by valid keys of variables and meta. */
export function valuesByName<Value extends z.ZodType>(value: Value, maxKeys: number) {
  return valuesByAnyKey(value, maxKeys).refine((map) => Object.keys(map).every((key) => KEY.test(key)), KEY_RULE);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST = `must have at most ${formatCount(LIMITS.variableLength)} characters`;

/** Initial conversation variables: strings by name (SPEC 4.1, WIRE 1). */
export const variablesInput = valuesByName(
  z.string('must be a string').max(LIMITS.variableLength, LONGEST),
  LIMITS.variables,
);

/** A variable as an item of a list. */
export interface VariableValue {
  readonly name: string;
  readonly value: string;
}

const variable = z.object({
  name: z.string().regex(KEY, `must have 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`),
  value: z.string().max(LIMITS.variableLength, LONGEST),
});

const variableList = z
  .array(variable)
  .max(LIMITS.variables, `must have at most ${LIMITS.variables} items`)
  .superRefine((list, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of list.entries()) {
      if (names.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must be unique in the list' });
      names.add(name);
    }
  });

const listedVariables = z.object({ variables: variableList });

/** The variables of a list by name. @throws {ServiceError} invalid_request */
export function parseVariables(list: readonly VariableValue[] | null | undefined): Record<string, string> | null {
  if (!list) return null;
  const { variables } = parseInput(listedVariables, { variables: list });
  // `fromEntries` defines own properties, so a variable named `__proto__` is safe.
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

/** Variables of a one-shot run: numbers and booleans are written as text (WIRE 15). */
export const oneShotVariablesInput = valuesByName(
  z.union(
    [z.string().max(LIMITS.variableLength, LONGEST), z.number(), z.boolean()],
    `must be a string of at most ${formatCount(LIMITS.variableLength)} characters, a number or a boolean`,
  ),
  LIMITS.variables,
).transform((map) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name, variableText(value)])));

/** The text of a variable: strings as they are, other values as JSON. */
export function variableText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Variables of a trigger: any JSON by name. The text of each has the length limit of a variable (SPEC 4.7). */
export const triggerVariablesInput = valuesByName(
  z.unknown().refine((value) => variableText(value).length <= LIMITS.variableLength, LONGEST),
  LIMITS.variables,
);
