import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import type { Bounds } from './field.ts';
import { anyObject } from './kinds.ts';

/** A key of variables and meta. */
export const KEY = new RegExp(`^[A-Za-z0-9_.-]{1,${LIMITS.keyLength}}$`);

const KEY_RULE = `must have keys of 1 to ${LIMITS.keyLength} letters, digits, "_", "." or "-"`;

/** The type of values by name. */
export type ByName<Value> = Readonly<Record<string, Value>>;

/** Values by any key. Zod's own record silently drops a key named `__proto__`. */
export function valuesByAnyKey<Value>(
  value: z.ZodMiniType<Value>,
  most: number,
): z.ZodMiniType<ByName<Value>, ByName<Value>> {
  const rule = anyObject.check(
    z.superRefine((all, context) => {
      const entries = Object.entries(all);
      const refuse = (message: string, path: string[] = []) =>
        context.issues.push({ code: 'custom', input: all, path, message });
      if (entries.length > most) {
        refuse(`must have at most ${most} keys`);
        return;
      }
      for (const [key, item] of entries) {
        const problem = value.safeParse(item).error?.issues[0];
        if (problem) refuse(problem.message, [key]);
      }
    }),
  );
  return rule as z.ZodMiniType<ByName<Value>, ByName<Value>>;
}

/** Values by valid keys of variables and meta. */
export function valuesByName<Value>(value: z.ZodMiniType<Value>, most: number) {
  return valuesByAnyKey(value, most).check(z.refine((all) => Object.keys(all).every((key) => KEY.test(key)), KEY_RULE));
}

/** The bounds of such an object for OpenAPI. */
export function boundsByName(most: number, value: Bounds, otherKeys: Bounds = {}): Bounds {
  return { maxProperties: most, propertyNames: { pattern: KEY.source, ...otherKeys }, additionalProperties: value };
}
