import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { parseVariables, type VariableValue, variableText } from '../../domain/values-by-name.ts';
import { builder, type InputFields, type JsonObject } from './builder.ts';

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

const VariableInput = builder.inputType('VariableInput', {
  description: 'A value for the instructions. It replaces {{NAME}}.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `1 to ${LIMITS.keyLength} letters, digits, _, . or -. Unique in the list.`,
    }),
    value: t.string({
      required: true,
      description: `Text of at most ${formatCount(LIMITS.variableLength)} characters. It can be empty.`,
    }),
  }),
});

/** The input field of variables in the GraphQL API. */
export const variableList = (t: InputFields, note = '') =>
  t.field({
    type: [VariableInput],
    inRest: false,
    description: `Values for the instructions: at most ${LIMITS.variables}.${note && ` ${note}`}`,
  });

/** The input field of variables in the REST API. */
export const variableObject = (t: InputFields, description: string) =>
  t.field({ type: 'JSONObject', internal: true, inRest: 'variables', description });

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
