import fc from 'fast-check';
import type { JsonSchema } from '../../src/rest/openapi-types.ts';
import { DOCUMENT } from './openapi.ts';

/** Longer texts and lists than these have tests of their own. */
const LONGEST = 40;
const MOST = 3;

/** How many objects within objects are made. */
const LEVELS = 4;

/** Values that a schema of the document takes. */
export function valuesOf(schema: JsonSchema, levels = LEVELS): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf } = schema;
  if ($ref) return valuesOf(DOCUMENT.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, levels);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => valuesOf(one, levels)));
  if (schema.type === undefined) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...[schema.type].flat().map((type) => ofType(type, schema, levels)));
}

function ofType(type: string, schema: JsonSchema, levels: number): fc.Arbitrary<unknown> {
  const { minimum: min = -1_000_000, maximum: max = 1_000_000 } = schema;
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
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

function texts({
  format,
  pattern,
  minLength = 0,
  maxLength = LONGEST,
  contentEncoding,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  if (contentEncoding === 'base64') return fc.base64String({ minLength: 4, maxLength: LONGEST });
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
  const names = propertyNames ? texts(propertyNames) : fc.string({ maxLength: LONGEST });
  return fc.tuple(fc.dictionary(names, others, { maxKeys: MOST }), known).map(([free, own]) => ({ ...free, ...own }));
}

const WRONG: readonly unknown[] = [
  ...[null, true, -1, 0, 0.5, 1e300, 2 ** 53, '', ' ', 'a\0', '\ud800', 'null', '-1', '1e3', 'x'.repeat(70)],
  ...[[], {}, [[]], [null], { a: null }, { text: 1 }, { type: 'text' }],
  '00000000-0000-0000-0000-000000000000',
  '2026-13-45T99:00:00Z',
  JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
];

/** Any of these in any place. */
export const wrong: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WRONG) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** A value with one of its places filled with something else; `at` says which, whatever their number. */
export function withWrong(value: unknown, at: number, something: unknown): unknown {
  const places = placesOf(value, []);
  const place = places[at % places.length] ?? [];
  return replaced(value, place, something);
}

type Place = readonly (string | number)[];

function placesOf(value: unknown, here: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [here];
  const below = Array.isArray(value)
    ? value.flatMap((item, index) => placesOf(item, [...here, index]))
    : Object.entries(value).flatMap(([key, item]) => placesOf(item, [...here, key]));
  return [here, ...below];
}

function replaced(value: unknown, [step, ...rest]: Place, something: unknown): unknown {
  if (step === undefined) return something;
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? replaced(item, rest, something) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => [key, key === step ? replaced(item, rest, something) : item]),
  );
}
