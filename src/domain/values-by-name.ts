import { z } from 'zod';
import { type VARIABLE, variables } from '../shapes/variables.ts';
import { parseInput } from './input.ts';

/** A variable as an item of a list. */
export type VariableValue = Readonly<Record<keyof typeof VARIABLE.fields, string>>;

const variableList = z.object({
  variables: variables().rule.check(
    z.superRefine((list, context) => {
      const names = new Set<string>();
      for (const [index, { name }] of (list ?? []).entries()) {
        if (names.has(name))
          context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must be unique in the list' });
        names.add(name);
      }
    }),
  ),
});

/** The variables of a list by name. @throws {ServiceError} invalid_request */
export function parseVariables(list: readonly VariableValue[] | null | undefined): Record<string, string> | null {
  const { variables } = parseInput(variableList, { variables: list });
  // `fromEntries` defines own properties, so a variable named `__proto__` is safe.
  return variables ? Object.fromEntries(variables.map(({ name, value }) => [name, value])) : null;
}
