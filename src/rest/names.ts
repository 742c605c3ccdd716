import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type FieldPath, formatPath, ServiceError } from '../contract/errors.ts';
import { requireCountable } from '../graphql/variables.ts';

/** `historyLimit` → `history_limit`: how REST writes the fields of an input type. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const namedFields = new WeakMap<
  GraphQLInputObjectType,
  readonly (readonly [name: string, field: GraphQLInputField])[]
>();

/** The fields of an input type by the names that REST has for them. */
function fieldsOf(type: GraphQLInputObjectType) {
  const known = namedFields.get(type);
  if (known) return known;
  const fields = Object.values(type.getFields()).map((field) => [snakeCase(field.name), field] as const);
  namedFields.set(type, fields);
  return fields;
}

/**
 * A REST body as the input type wants it: its fields renamed, fields it does not have left out. Only fields of input
 * types are renamed, so keys inside JSON values are never touched. A list must be a list: GraphQL would take a single
 * value for one, and nothing is coerced silently here (WIRE 1).
 */
export function toInput(value: unknown, type: GraphQLInputType, path: FieldPath = []): unknown {
  const bare = getNullableType(type);
  if (value === null || value === undefined) return value;
  if (isListType(bare)) {
    if (!Array.isArray(value)) throw new ServiceError('invalid_request', '{param} must be an array.', { param: path });
    requireCountable(value, path);
    return value.map((item, index) => toInput(item, bare.ofType as GraphQLInputType, [...path, index]));
  }
  if (!isInputObjectType(bare) || typeof value !== 'object' || Array.isArray(value)) return value;
  const given = value as Readonly<Record<string, unknown>>;
  const input: Record<string, unknown> = {};
  for (const [name, field] of fieldsOf(bare)) {
    if (!Object.hasOwn(given, name)) continue;
    input[field.name] = toInput(given[name], field.type, [...path, field.name]);
  }
  return input;
}

/** A field's path in the names of REST: the fields of input types renamed, keys of JSON values left alone. */
export function restPath(path: FieldPath, type: GraphQLInputType | undefined): string {
  let at = type;
  const renamed = path.map((step) => {
    const bare = at && getNullableType(at);
    if (typeof step === 'number') {
      at = isListType(bare) ? (bare.ofType as GraphQLInputType) : undefined;
      return step;
    }
    const field = isInputObjectType(bare) ? bare.getFields()[step] : undefined;
    at = field?.type;
    return field ? snakeCase(step) : step;
  });
  return formatPath(renamed);
}
