import {
  type GraphQLEnumType,
  type GraphQLEnumValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { isStorable, UNSTORABLE, unstorableJson } from './storable-text.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** How a transport represents the schema's input types. */
export interface InputStyle {
  /** The name that a field of an input type has in a request. Undefined: requests cannot have the field. */
  nameOf(field: GraphQLInputField): string | undefined;
  /** Whether unknown fields are ignored. Otherwise they are an error. */
  readonly ignoresUnknown: boolean;
  /** Whether a list must be an array. Otherwise a single value counts as a list of one, as GraphQL defines it. */
  readonly strictLists: boolean;
  /** The word for an enum value in a request. */
  wordOf(value: GraphQLEnumValue): string;
  /** Reads a value of a @oneOf type that has another form in requests. Undefined if the type has no such form. */
  readonly choose: Readonly<Record<string, (value: unknown, fields: readonly string[]) => Choice>>;
}

/** The field of a @oneOf type that a value chooses, or the reason why it chooses no field. */
export type Choice =
  | { readonly field: string; readonly value: unknown; readonly step?: string }
  | { readonly problem: string; readonly step?: string };

export const GRAPHQL_INPUT: InputStyle = {
  nameOf: ({ name }) => name,
  ignoresUnknown: false,
  strictLists: false,
  wordOf: ({ name }) => name,
  choose: {},
};

/** A path as a linked list, so that valid input allocates no arrays. */
interface Path {
  readonly parent: Path | undefined;
  readonly step: string | number;
}

/**
 * Validates and coerces the variables of an operation in one walk: types, required fields, list lengths, text that
 * PostgreSQL can store.
 * @throws {ServiceError} invalid_request, with the path of the first invalid field
 */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
  style: InputStyle,
): Variables {
  const values: Record<string, unknown> = {};
  for (const { variable, type: typeNode, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as never) as GraphQLInputType | undefined;
    // Validation reports unknown types.
    if (!type) continue;
    // Clients know the fields of an input object, not the variable that carries it.
    const path = isInputObjectType(getNamedType(type)) ? undefined : { parent: undefined, step: name };
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) values[name] = coerce(value, type, path, style);
    else if (defaultValue) values[name] = valueFromAST(defaultValue, type);
    else if (isNonNullType(type)) throw invalid(path, 'is required');
  }
  return values;
}

function coerce(value: unknown, type: GraphQLInputType, path: Path | undefined, style: InputStyle): unknown {
  if (isNonNullType(type)) {
    if (value === null || value === undefined) throw invalid(path, 'must not be null');
    return coerce(value, type.ofType, path, style);
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) return coerceList(value, type.ofType, path, style);
  if (isInputObjectType(type)) return coerceObject(value, type, path, style);
  if (isEnumType(type)) return coerceEnum(value, type, path, style);
  return coerceLeaf(value, type, path);
}

function coerceEnum(value: unknown, type: GraphQLEnumType, path: Path | undefined, { wordOf }: InputStyle): unknown {
  const values = type.getValues();
  const match = values.find((candidate) => wordOf(candidate) === value);
  if (!match) throw invalid(path, `must be one of ${values.map(wordOf).join(', ')}`);
  return match.value;
}

function coerceList(value: unknown, item: GraphQLInputType, path: Path | undefined, style: InputStyle): unknown[] {
  if (!Array.isArray(value)) {
    if (style.strictLists) throw invalid(path, 'must be an array');
    return [coerce(value, item, path, style)];
  }
  // Every list has its own lower limit. This limit bounds the work until then.
  if (value.length > LIMITS.listItems) throw invalid(path, `must have at most ${formatCount(LIMITS.listItems)} items`);
  return value.map((one, step) => coerce(one, item, { parent: path, step }, style));
}

function coerceObject(
  value: unknown,
  type: GraphQLInputObjectType,
  path: Path | undefined,
  style: InputStyle,
): Record<string, unknown> {
  const choose = style.choose[type.name];
  if (choose) return coerceChoice(choose(value, Object.keys(type.getFields())), type, path, style);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'must be an object');
  const input = value as Variables;
  const fields = fieldsOf(type, style);
  const result: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const below = { parent: path, step: field.name };
    if (Object.hasOwn(input, name) && input[name] !== undefined) {
      result[field.name] = coerce(input[name], field.type, below, style);
    } else if (field.defaultValue !== undefined) result[field.name] = field.defaultValue;
    else if (isNonNullType(field.type)) throw invalid(below, 'is required');
  }
  if (!style.ignoresUnknown) {
    const unknown = Object.keys(input).find((name) => !fields.has(name));
    if (unknown !== undefined) throw invalid({ parent: path, step: unknown }, 'is not a field of this input');
  }
  if (type.isOneOf) requireOne(result, type, path);
  return result;
}

function requireOne(result: Variables, type: GraphQLInputObjectType, path: Path | undefined): void {
  const [field, ...others] = Object.keys(result);
  if (field === undefined || others.length > 0) {
    throw invalid(path, `must have exactly one of the fields ${Object.keys(type.getFields()).join(', ')}`);
  }
  if (result[field] === null) throw invalid({ parent: path, step: field }, 'must not be null');
}

function coerceChoice(
  choice: Choice,
  type: GraphQLInputObjectType,
  path: Path | undefined,
  style: InputStyle,
): Record<string, unknown> {
  const below = choice.step === undefined ? path : { parent: path, step: choice.step };
  if ('problem' in choice) throw invalid(below, choice.problem);
  const field = type.getFields()[choice.field];
  if (!field || choice.value === undefined || choice.value === null) throw invalid(below, 'is required');
  return { [field.name]: coerce(choice.value, field.type, below, style) };
}

const fieldMaps = new WeakMap<InputStyle, WeakMap<GraphQLInputObjectType, ReadonlyMap<string, GraphQLInputField>>>();

/** The fields of an input type by their names in a request. */
function fieldsOf(type: GraphQLInputObjectType, style: InputStyle): ReadonlyMap<string, GraphQLInputField> {
  const ofStyle = fieldMaps.get(style) ?? new WeakMap();
  fieldMaps.set(style, ofStyle);
  const known = ofStyle.get(type);
  if (known) return known;
  const fields = new Map(
    Object.values(type.getFields()).flatMap((field) => {
      const name = style.nameOf(field);
      return name === undefined ? [] : [[name, field] as const];
    }),
  );
  ofStyle.set(type, fields);
  return fields;
}

function coerceLeaf(value: unknown, type: GraphQLScalarType, path: Path | undefined): unknown {
  const result = parseLeaf(value, type, path);
  if (typeof value === 'string') {
    if (!isStorable(value)) throw invalid(path, UNSTORABLE);
  } else if (typeof value === 'object') {
    const unstorable = unstorableJson(value);
    if (unstorable) throw invalid(path, unstorable.problem, unstorable.below);
  }
  return result;
}

function parseLeaf(value: unknown, type: GraphQLScalarType, path: Path | undefined): unknown {
  try {
    const result = type.parseValue(value);
    if (result !== undefined) return result;
  } catch (error) {
    throw invalid(path, problemOf(type, value, error as Error));
  }
  throw invalid(path, problemOf(type, value, undefined));
}

/** Thrown by scalars of this service. The message completes a sentence: `must be a UUID`. */
export class InvalidValueError extends TypeError {}

const PROBLEMS: Readonly<Record<string, string>> = {
  String: 'must be a string',
  ID: 'must be a string',
  SafeInt: 'must be a whole number',
  Float: 'must be a number',
  Boolean: 'must be true or false',
  JSONObject: 'must be an object',
};

function problemOf(type: GraphQLScalarType, value: unknown, error: Error | undefined): string {
  if (type.name === 'Int') return `must be a whole number${Number.isInteger(value) ? ' of at most 32 bits' : ''}`;
  return PROBLEMS[type.name] ?? (error instanceof InvalidValueError ? error.message : 'is not valid');
}

function invalid(path: Path | undefined, problem: string, below: FieldPath = []): ServiceError {
  const steps: (string | number)[] = [];
  for (let at = path; at; at = at.parent) steps.unshift(at.step);
  return new ServiceError('invalid_request', `{param} ${problem}.`, { param: [...steps, ...below] });
}
