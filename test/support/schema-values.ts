import fc from 'fast-check';
import type { JsonSchema } from '../../src/rest/json-schema.ts';
import { DOCUMENT } from './openapi.ts';

/** Other tests cover longer texts and lists. */
const LONGEST = 40;
const MOST = 3;

/** The depth of nested objects. */
const LEVELS = 4;

/** Values that a schema of the document accepts. */
export function valuesOf(schema: JsonSchema, levels = LEVELS): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf } = schema;
  if ($ref) return valuesOf(DOCUMENT.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, levels);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => valuesOf(merged(schema, one), levels)));
  const { not, ...allowed } = schema;
  if (not) return valuesOf(allowed, levels).filter(differsFrom(not));
  if (schema.type === undefined) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...[schema.type].flat().map((type) => ofType(type, schema, levels)));
}

/** An alternative together with the fields of the object that it refines. */
function merged(
  { properties, required = [], anyOf: _any, oneOf: _one, ...base }: JsonSchema,
  one: JsonSchema,
): JsonSchema {
  if (!properties) return one;
  const refined = Object.entries(one.properties ?? {}).map(([name, field]) => [
    name,
    { ...properties[name], ...field },
  ]);
  return {
    ...base,
    properties: { ...properties, ...Object.fromEntries(refined) },
    required: [...new Set([...required, ...(one.required ?? [])])],
  };
}

function differsFrom({ const: only, enum: words = [] }: JsonSchema) {
  return (value: unknown) => value !== only && !words.includes(value as string);
}

function ofType(type: string, schema: JsonSchema, levels: number): fc.Arbitrary<unknown> {
  const { minimum: min = -1_000_000, maximum: max = 1_000_000 } = schema;
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true, ...bounds(schema) });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(levels > 0 ? valuesOf(schema.items ?? {}, levels - 1) : fc.constant(null), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MOST, MOST),
      });
    case 'object':
      return objects(schema, levels - 1);
    default:
      return fc.constant(null);
  }
}

function bounds({ minimum, maximum }: JsonSchema) {
  return { ...(minimum !== undefined && { min: minimum }), ...(maximum !== undefined && { max: maximum }) };
}

function texts({
  format,
  pattern,
  minLength = 0,
  maxLength = LONGEST,
  contentEncoding,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return fc.webUrl();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  if (format === 'date')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString().slice(0, 10));
  if (contentEncoding === 'base64') return fc.base64String({ minLength: 4, maxLength: LONGEST });
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: LONGEST });
  return fc.oneof(
    fc.constantFrom(
      ...['Hello', 'text', 'https://example.com/a.png', 'image/png'].filter((text) => text.length >= minLength),
    ),
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, LONGEST) }),
  );
}

function objects({ properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema, levels: number) {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valuesOf(field, levels)]));
  const known = fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
  if (!additionalProperties || levels < 0) return known;
  const others = additionalProperties === true ? fc.jsonValue({ maxDepth: 2 }) : valuesOf(additionalProperties, levels);
  const names = propertyNames
    ? (valuesOf({ type: 'string', ...propertyNames }) as fc.Arbitrary<string>)
    : fc.string({ maxLength: LONGEST });
  return fc.tuple(fc.dictionary(names, others, { maxKeys: MOST }), known).map(([free, own]) => ({ ...free, ...own }));
}

const WRONG: readonly unknown[] = [
  ...[null, true, -1, 0, 0.5, 1e300, 2 ** 53, '', ' ', 'a\0', '\ud800', 'null', '-1', '1e3', 'x'.repeat(70)],
  ...[[], {}, [[]], [null], { a: null }, { text: 1 }, { type: 'text' }],
  '00000000-0000-0000-0000-000000000000',
  '2026-13-45T99:00:00Z',
  JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
];

/** Wrong values for any location. */
export const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WRONG) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** A copy of a value with one location replaced. `at` selects the location, modulo their number. */
export function withReplacement(value: unknown, at: number, replacement: unknown): unknown {
  const paths = pathsOf(value, []);
  const path = paths[at % paths.length] ?? [];
  return replaceAt(value, path, replacement);
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, parent: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [parent];
  const childPaths = Array.isArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...parent, index]))
    : Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...parent, key]));
  return [parent, ...childPaths];
}

function replaceAt(value: unknown, [step, ...rest]: Path, replacement: unknown): unknown {
  if (step === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? replaceAt(item, rest, replacement) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => [
      key,
      key === step ? replaceAt(item, rest, replacement) : item,
    ]),
  );
}
