import type { z } from 'zod';
import { enumNameOf, enumValueIn } from '../../contract/enum-names.ts';
import type { FieldPath, InputIssue } from '../../contract/errors.ts';

type Schema = z.core.$ZodType;
type Fields = Readonly<Record<string, unknown>>;

/** Removes the wrappers of a schema: optional, nullable, default and transform. */
function bareSchema(schema: Schema): Schema {
  const def = schema._zod.def as { readonly innerType?: Schema; readonly in?: Schema };
  const inner = def.innerType ?? def.in;
  return inner ? bareSchema(inner) : schema;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Parts {
  /** The fields of an object. */
  readonly shape?: Readonly<Record<string, Schema>>;
  /** The item of an array. */
  readonly element?: Schema;
  /** The values of an enum. */
  readonly entries?: Readonly<Record<string, string>>;
}

const partsOf = (schema: Schema) => bareSchema(schema)._zod.def as Parts;

/** The fields of `value` that the schema does not have. zod's strict objects would need a second copy of each schema. */
export function unknownFields(schema: Schema, value: unknown, path: FieldPath = []): InputIssue[] {
  const { shape, element } = partsOf(schema);
  if (shape && isFields(value)) {
    return Object.entries(value).flatMap(([name, inner]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field) return unknownFields(field, inner, [...path, name]);
      return [{ path: [...path, name], message: unknownField(name, Object.keys(shape)) }];
    });
  }
  if (!element || !Array.isArray(value)) return [];
  return value.flatMap((item, index) => unknownFields(element, item, [...path, index]));
}

function unknownField(name: string, known: readonly string[]): string {
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const similar = known.find((one) => distance(letters(one), letters(name)) <= 2);
  return similar
    ? `is not a field. Did you mean ${similar}?`
    : `is not a field. Remove it, or use one of: ${known.join(', ')}.`;
}

/** The Levenshtein distance. Names that differ much in length are not compared. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let index = 1; index <= other.length; index += 1) {
      const substituted = (row[index - 1] ?? 0) + (letter === other[index - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** The GraphQL selection of all fields of an object schema. */
export function selectionOf(schema: Schema): string {
  const { shape, element } = partsOf(schema);
  if (element) return selectionOf(element);
  if (!shape) return '';
  const fields = Object.entries(shape).map(([name, field]) => `${name}${selectionOf(field)}`);
  return ` { ${fields.join(' ')} }`;
}

/** The value as GraphQL input: enums as names. */
export function toGraphql(schema: Schema, value: unknown): unknown {
  return convert(schema, value, (_, text) => enumNameOf(text), false);
}

/** The value of a GraphQL response as the file has it: enums as words, without null fields, and free objects sorted. */
export function fromGraphql(schema: Schema, value: unknown): unknown {
  return convert(schema, value, (values, name) => enumValueIn(values, name as never), true);
}

/** The value without null fields, and free objects sorted, so that equal configurations are equal values. */
export function canonical(schema: Schema, value: unknown): unknown {
  return convert(schema, value, (_, text) => text, true);
}

function convert(
  schema: Schema,
  value: unknown,
  text: (values: readonly string[], value: string) => string,
  isResponse: boolean,
): unknown {
  const { shape, element, entries } = partsOf(schema);
  if (value === null || value === undefined) return value;
  if (entries) return text(Object.values(entries), String(value));
  if (element && Array.isArray(value)) return value.map((item) => convert(element, item, text, isResponse));
  if (!shape || !isFields(value)) return isResponse ? sorted(value) : value;
  const known = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const field = shape[name];
    if (!field || (isResponse && inner === null)) return [];
    return [[name, convert(field, inner, text, isResponse)]];
  });
  return Object.fromEntries(known);
}

/** Sorts the keys of objects, because the database does not keep the order of a JSON Schema. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
