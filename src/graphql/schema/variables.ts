import { parseVariables, type VariableValue } from '../../domain/values-by-name.ts';
import { variableText } from '../../shapes/variables.ts';
import { builder, type JsonObject } from './builder.ts';

export const Variable = builder.objectRef<VariableValue>('Variable').implement({
  description: 'A value for the instructions. It replaces {{NAME}}.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name. It is unique in its list.' }),
    value: t.exposeString('value', {
      description:
        'The text that the instructions get. The REST API can store other values than text: they are JSON here.',
    }),
  }),
});

/** Variables by name as a list, in the order of their names. */
export function listVariables(variables: unknown): VariableValue[] {
  return Object.entries((variables ?? {}) as JsonObject)
    .map(([name, value]) => ({ name, value: variableText(value) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

interface VariablesInput {
  readonly variables?: readonly VariableValue[] | null | undefined;
  readonly variablesByName?: JsonObject | null | undefined;
}

/**
 * An input with its variables by name, from either API.
 * @throws {ServiceError} invalid_request if the list is invalid. The domain checks an object.
 */
export function withVariables<Input extends VariablesInput>({ variables, variablesByName, ...input }: Input) {
  return { ...input, variables: variablesByName ?? parseVariables(variables) };
}
