import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { type FieldPath, ServiceError } from '../contract/errors.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Checks an operation's variables before it is executed, so that a wrong one is answered with the path of its field.
 * @throws {ServiceError} invalid_request, for the first that is wrong
 */
export function checkVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Variables): void {
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType | undefined;
    // A type that the schema does not have is for validation to tell.
    if (type) checkVariable(name, type, definition, variables[name]);
  }
}

function checkVariable(name: string, type: GraphQLInputType, definition: VariableDefinitionNode, value: unknown): void {
  // A caller speaks of the fields of an input, not of the variable that carries it.
  const prefix = isInputObjectType(getNamedType(type)) ? [] : [name];
  if (value === undefined) {
    if (!isNonNullType(type) || definition.defaultValue) return;
    throw refused(prefix, 'is required');
  }
  requireCountableLists(value, type, prefix);
  coerceInputValue(value, type, (path, invalid, error) => {
    const problem = problemOf(error, invalid, type);
    throw refused([...prefix, ...path, ...problem.below], problem.says);
  });
  checkText(value, prefix);
}

/** More than any list of an input may hold: beyond it the items are not looked at, since each of them costs time. */
const MOST_ITEMS = 1_000;

/** @throws {ServiceError} invalid_request where a list is longer than any may be */
export function requireCountable(list: readonly unknown[], path: FieldPath): void {
  if (list.length > MOST_ITEMS) throw refused(path, `must hold at most ${MOST_ITEMS.toLocaleString('en')} items`);
}

function requireCountableLists(value: unknown, type: GraphQLInputType, path: FieldPath): void {
  const bare = getNullableType(type);
  if (isListType(bare) && Array.isArray(value)) {
    requireCountable(value, path);
    for (const [index, item] of value.entries()) requireCountableLists(item, bare.ofType, [...path, index]);
  } else if (isInputObjectType(bare) && typeof value === 'object' && value !== null) {
    const given = value as Variables;
    for (const field of Object.values(bare.getFields())) {
      if (field.name in given) requireCountableLists(given[field.name], field.type, [...path, field.name]);
    }
  }
}

function refused(param: FieldPath, says: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${says}.`, { param });
}

/** graphql-js's sentences, in this service's words. */
const PROBLEMS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^String cannot represent/, () => 'must be a string'],
  [/^ID cannot represent/, () => 'must be a string'],
  [/^Int cannot represent non 32-bit/, () => 'must be a whole number of at most 32 bits'],
  [/^(Int|SafeInt) cannot represent|^Value is not (an integer|a safe integer)/, () => 'must be a whole number'],
  [/^Float cannot represent/, () => 'must be a number'],
  [/^Boolean cannot represent/, () => 'must be true or false'],
  [/^Expected non-nullable type/, () => 'must not be null'],
  [/to be an object\.$|JSONObject cannot represent/, () => 'must be an object'],
  [/^DateTime cannot represent/, () => 'must be an ISO 8601 date-time like 2026-01-31T09:30:00Z'],
  [/^(must .*)$/, (match) => match[1] ?? ''],
];

function problemOf(error: GraphQLError, value: unknown, type: GraphQLInputType): { below: FieldPath; says: string } {
  const message = (error.originalError?.message ?? error.message).trim();
  const missing = /^Field "(\w+)" of required type/.exec(message)?.[1];
  if (missing) return { below: [missing], says: 'is required' };
  const unknown = /^Field "(\w+)" is not defined by type/.exec(message)?.[1];
  if (unknown) return { below: [unknown], says: 'is not a field of this input' };
  const enumName = /in "(\w+)" enum|Enum "(\w+)"/.exec(message);
  if (enumName) return { below: [], says: `must be ${enumWords(type, enumName[1] ?? enumName[2])}` };
  for (const [pattern, words] of PROBLEMS) {
    const match = pattern.exec(message);
    if (match) return { below: [], says: words(match) };
  }
  return { below: [], says: value === null ? 'must not be null' : 'is not valid' };
}

function enumWords(type: GraphQLInputType, name: string | undefined): string {
  const found = findEnum(type, name, 0);
  return found ? `one of ${found.join(', ')}` : 'one of the values of its enum';
}

/** Inputs are shallow: a few levels find every enum. */
function findEnum(type: GraphQLInputType, name: string | undefined, depth: number): string[] | undefined {
  const named = getNamedType(type);
  if (isEnumType(named)) return named.name === name ? named.getValues().map((value) => value.name) : undefined;
  if (!isInputObjectType(named) || depth > 4) return undefined;
  for (const field of Object.values(named.getFields())) {
    const found = findEnum(field.type, name, depth + 1);
    if (found) return found;
  }
  return undefined;
}

const UNSTORABLE = 'must not hold NUL characters or halves of surrogate pairs';

const UNSTORABLE_KEY = 'must not have keys with NUL characters or halves of surrogate pairs';

/** A value and its step below another: a path for each of them would grow with the depth. */
interface Place {
  readonly value: unknown;
  readonly step?: string | number;
  readonly above?: Place;
  readonly depth: number;
}

/** JSON nested more deeply than this would take the stack from whatever walks or writes it next. */
const MOST_LEVELS = 200;

/**
 * Text that PostgreSQL cannot store is refused wherever it stands, keys included (WIRE 1), and so is JSON that is
 * nested beyond measure: a loop, since it can be nested more deeply than calls.
 */
function checkText(root: unknown, prefix: FieldPath): void {
  const open: Place[] = [{ value: root, depth: 0 }];
  for (let place = open.pop(); place; place = open.pop()) {
    const problem = problemOfText(place.value);
    if (problem) throw refused([...prefix, ...stepsTo(place)], problem);
    if (place.depth > MOST_LEVELS) {
      throw refused([...prefix, ...stepsTo(place).slice(0, 2)], `must be nested at most ${MOST_LEVELS} levels deep`);
    }
    for (const [step, item] of itemsOf(place.value)) {
      if (typeof item === 'string' || typeof item === 'object')
        open.push({ value: item, step, above: place, depth: place.depth + 1 });
    }
  }
}

/** What is wrong with a text, or with the keys of an object. */
function problemOfText(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : UNSTORABLE;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.keys(value).every(isStorable) ? undefined : UNSTORABLE_KEY;
}

function itemsOf(value: unknown): Iterable<[step: string | number, item: unknown]> {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}

function stepsTo(place: Place): FieldPath {
  const steps: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.step !== undefined; at = at.above) steps.push(at.step);
  return steps.reverse();
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
