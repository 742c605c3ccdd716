import { describe, expect, it } from 'vitest';
import { schemaProblem } from '../../src/domain/json-schema/schema-problem.ts';
import { valueProblem } from '../../src/domain/json-schema/value-problem.ts';
import { leastBlockMs, MOST_BLOCK_MS } from '../support/event-loop.ts';

type Schema = Readonly<Record<string, unknown>>;

const ofA = (a: unknown, fields: Schema = {}): Schema => ({ type: 'object', properties: { a }, ...fields });

const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const named = (count: number, make: (index: number) => [string, unknown]) => Object.fromEntries(times(count, make));

const REFERENCES = ofA({}, { $defs: { x: ofA({ type: 'string' }) }, allOf: times(400, () => ({ $ref: '#/$defs/x' })) });
const CHAIN = ofA(
  { $ref: '#/$defs/d0' },
  {
    $defs: named(27, (at) => [
      `d${at}`,
      at === 26 ? { type: 'string' } : { anyOf: times(2, () => ({ $ref: `#/$defs/d${at + 1}` })) },
    ]),
  },
);
const RECURSIVE = {
  $ref: '#/$defs/n',
  $defs: {
    n: {
      anyOf: [
        { additionalProperties: { $ref: '#/$defs/n' }, required: ['z'] },
        { additionalProperties: { $ref: '#/$defs/n' }, required: ['y'] },
      ],
    },
  },
};

/** The number of nested levels. */
function deep(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

const SCHEMAS: readonly [string, Schema][] = [
  ['16 kB of allOf with 400 references', REFERENCES],
  ['a chain of 26 anyOf', CHAIN],
  [
    'references in a row',
    ofA(
      { $ref: '#/$defs/d0' },
      { $defs: named(1_990, (at) => [`d${at}`, at < 1_989 ? { $ref: `#/$defs/d${at + 1}` } : {}]) },
    ),
  ],
  ['64 KiB of numbers', { enum: times(30_000, () => 1) }],
  ['64 KiB of names', { required: times(9_000, (at) => `k${at}`) }],
  ['a text of 10 MiB', { title: 'ä'.repeat(10 * 1024 * 1024) }],
  ['more than a megabyte', { enum: times(500_000, () => 1) }],
  ['100,000 levels', deep(100_000, (inner) => ({ not: inner })) as Schema],
  [
    'definitions that all refer to each other',
    {
      $ref: '#/$defs/d0',
      $defs: named(40, (at) => [`d${at}`, { anyOf: times(40, (to) => ({ $ref: `#/$defs/d${to}` })) }]),
    },
  ],
];

const LONG = 1_000_000;
const KEYS = named(10_000, (at) => [`k${at}`, at]);

const VALUES: readonly [string, Schema, unknown][] = [
  ['a chain of 26 anyOf', CHAIN, { a: 1 }],
  ['400 references', REFERENCES, { a: 'x' }],
  ['branching recursion through the value', RECURSIVE, deep(60, (inner) => ({ x: inner }))],
  [
    'unique items of a megabyte',
    ofA({ uniqueItems: true }),
    { a: times(49_000, (at) => `item ${at} ${'x'.repeat(8)}`) },
  ],
  [
    'unique items that are large',
    ofA({ uniqueItems: true }),
    { a: times(500, (at) => times(90, (inner) => at + inner)) },
  ],
  [
    'an enum of 20,000 for each item',
    ofA({ items: { enum: times(20_000, (at) => at) } }),
    { a: times(40_000, () => -1) },
  ],
  [
    'deep values of an enum',
    ofA({ items: { enum: [times(20_000, () => 1)] } }),
    { a: times(2, () => [...times(19_999, () => 1), 2]) },
  ],
  ['every item', ofA({ items: { type: 'integer', minimum: 0, maximum: 9 } }), { a: times(49_000, () => 1) }],
  ['every property many times', { allOf: times(1_900, () => ({ additionalProperties: { type: 'number' } })) }, KEYS],
  ['the count of properties many times', { allOf: times(1_900, () => ({ minProperties: 1 })) }, KEYS],
  [
    'names by many patterns',
    { patternProperties: named(1_500, (at) => [`^[a-z${String.fromCharCode(0x400 + at)}]{0,900}$`, false]) },
    KEYS,
  ],
  [
    'many classes',
    { patternProperties: named(6_000, (at) => [`[${String.fromCharCode(0x400 + at)}]`, false]) },
    { a: 1 },
  ],
  [
    'a long text counted many times',
    { allOf: times(1_000, () => ofA({ minLength: LONG * 0.6 })) },
    { a: 'x'.repeat(LONG) },
  ],
  ['(a+)+$', ofA({ pattern: '^(a+)+$' }), { a: `${'a'.repeat(LONG)}!` }],
  ['(a|a)*$', ofA({ pattern: '^(a|a)*$' }), { a: `${'a'.repeat(LONG)}!` }],
  ['a{1000}{1000}', ofA({ pattern: 'a{1000}{1000}' }), { a: 'a'.repeat(LONG) }],
  ['((){1000}){1000}', ofA({ pattern: '((){1000}){1000}' }), { a: 'a'.repeat(LONG) }],
  ['.{0,1900}x', ofA({ pattern: '.{0,1900}x$' }), { a: 'y'.repeat(LONG) }],
  ['letters of all alphabets', ofA({ pattern: '^(\\p{L}+[é-\\uffff]*)*$' }), { a: `${'é'.repeat(LONG / 2)}!` }],
  ['60,000 groups', ofA({ pattern: '('.repeat(60_000) }), { a: 'x' }],
  ['60,000 alternatives', ofA({ pattern: 'a|'.repeat(30_000) }), { a: 'x'.repeat(LONG) }],
  ['a class without an end', ofA({ pattern: `[${'a'.repeat(60_000)}` }), { a: 'x' }],
  ['a value of 100,000 levels', { additionalProperties: { $ref: '#' } }, deep(100_000, (inner) => ({ x: inner }))],
  ['an object with 49,000 properties', { minProperties: 1 }, named(49_000, (at) => [`k${at}`, at])],
  ['a list of a million', ofA({ items: {} }), { a: times(1_000_000, () => 0) }],
];

describe('the time to check a schema', () => {
  it.each(SCHEMAS)(`takes less than ${MOST_BLOCK_MS} ms to check: %s`, async (_what, schema) => {
    expect(await leastBlockMs(async () => schemaProblem(schema))).toBeLessThan(MOST_BLOCK_MS);
  });

  it.each(VALUES)(`takes less than ${MOST_BLOCK_MS} ms with any value: %s`, async (_what, schema, value) => {
    expect(await leastBlockMs(async () => valueProblem(schema, value))).toBeLessThan(MOST_BLOCK_MS);
  });

  it('reports a check that took too long', () => {
    expect(valueProblem(CHAIN, { a: 1 })).toBe('the value takes too long to check against the schema: make it smaller');
  });

  it('reports a value that is too deep or too large', () => {
    expect(
      valueProblem(
        {},
        deep(101, (inner) => ({ x: inner })),
      ),
    ).toContain('100 levels');
    expect(valueProblem({}, { a: times(60_000, () => 0) })).toContain('50,000 values');
    expect(
      valueProblem(
        {},
        named(10_001, (at) => [`k${at}`, at]),
      ),
    ).toContain('10,000 properties');
  });

  it('checks a reply of normal size', () => {
    const row = { id: 'row-1', name: 'Ada', email: 'ada@example.com', tags: ['a', 'b'], score: 1.5 };
    const schema = ofA({
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', pattern: '^row-\\d+$' },
          name: { type: 'string', minLength: 1 },
          tags: { type: 'array', items: { enum: ['a', 'b'] } },
          score: { type: 'number' },
        },
        required: ['id', 'name'],
      },
    });
    expect(valueProblem(schema, { a: times(500, () => row) })).toBeUndefined();
  });
});
