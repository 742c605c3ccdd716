import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaProblem } from '../../src/domain/json-schema/schema-problem.ts';
import { valueProblem } from '../../src/domain/json-schema/value-problem.ts';

type Schema = Readonly<Record<string, unknown>>;

const sample = (name: string): Schema =>
  JSON.parse(readFileSync(new URL(`../support/schemas/${name}.json`, import.meta.url), 'utf8'));

/** A schema of an object whose property `a` has this schema. */
const ofA = (a: unknown, fields: Schema = {}): Schema => ({ type: 'object', properties: { a }, ...fields });

// As text, because an object with a property `then` looks like a promise.
const BRANCHES: Schema = JSON.parse(
  '{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}',
);

const MUTUAL: Schema = {
  $ref: '#/$defs/x',
  $defs: {
    x: { type: 'object', properties: { a: { $ref: '#/$defs/y' } } },
    y: { type: 'object', properties: { b: { $ref: '#/$defs/x' } } },
  },
};

const isValid = (schema: Schema, value: unknown) => valueProblem(schema, value) === undefined;

describe('schemas that tools use', () => {
  const BOOKING = {
    code: 'ABC-1234',
    size: 'small',
    pet: { kind: 'dog', name: 'Rex' },
    day: '2026-01-31',
    price: '12.50',
    pair: [1, 'a'],
    thread: { text: 'Hi', replies: [{ text: 'Ho', replies: [] }] },
    id: 'c0ffee00-0000-4000-8000-000000000000',
  };
  const ORDER = {
    id: 'ord_abc123',
    kind: 'new',
    price: 1.5,
    point: [1, 2],
    labels: { colour: 'red' },
    tree: { name: 'root', children: [{ name: 'leaf', children: [] }] },
    both: { a: 'x', b: null },
    tag: 'v2.x',
    list: ['x', 'y'],
    no: 1,
  };
  const TASK = { title: 'Walk', email: 'ada@example.com', due: '2026-01-31T09:30:00Z', steps: [{ name: 'Go' }] };
  const task = z.object({
    title: z.string().min(1).max(80),
    email: z.email(),
    due: z.iso.datetime(),
    slug: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      .optional(),
    state: z.enum(['open', 'done']).default('open'),
    size: z.int().min(1).max(5).nullish(),
    owner: z.union([z.string(), z.object({ id: z.number() })]).optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
    get steps() {
      return z.array(z.object({ name: z.string(), parts: z.array(z.string()).optional() }));
    },
    point: z.tuple([z.number(), z.number()]).optional(),
    shape: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('dot') }),
        z.object({ kind: z.literal('line'), to: z.number() }),
      ])
      .optional(),
  });
  const zodSchema = (target: 'draft-7' | 'draft-2020-12') => z.toJSONSchema(task, { target, io: 'input' }) as Schema;

  it.each([
    ['Pydantic', sample('pydantic'), BOOKING],
    ['TypeBox', sample('typebox'), ORDER],
    ['Zod, draft 2020-12', zodSchema('draft-2020-12'), TASK],
    ['Zod, draft 7', zodSchema('draft-7'), TASK],
  ])('are taken as %s writes them, with values that match', (_what, schema, value) => {
    expect(schemaProblem(schema)).toBeUndefined();
    expect(valueProblem(schema, value)).toBeUndefined();
  });

  it.each([
    ['Pydantic, a pattern', sample('pydantic'), { ...BOOKING, code: 'abc-1234' }, '/code must match the pattern'],
    ['Pydantic, a union', sample('pydantic'), { ...BOOKING, pet: { kind: 'dog' } }, '/pet must match exactly one'],
    [
      'Pydantic, recursion',
      sample('pydantic'),
      { ...BOOKING, thread: { text: 'a', replies: [{}] } },
      '/thread/replies/0 ',
    ],
    ['Pydantic, a further field', sample('pydantic'), { ...BOOKING, more: 1 }, 'must not have the property more'],
    ['Pydantic, a tuple', sample('pydantic'), { ...BOOKING, pair: [1, 2] }, '/pair/1 must be a string'],
    [
      'TypeBox, a record',
      sample('typebox'),
      { ...ORDER, labels: { colour: 'purple' } },
      '/labels/colour must have at most 5',
    ],
    [
      'TypeBox, a reference by $id',
      sample('typebox'),
      { ...ORDER, tree: { name: 'a', children: [{}] } },
      '/tree/children/0 ',
    ],
    ['TypeBox, unique items', sample('typebox'), { ...ORDER, list: ['x', 'x'] }, '/list must not have equal items'],
    ['TypeBox, an intersection', sample('typebox'), { ...ORDER, both: { a: 'x' } }, '/both must have the property b'],
    ['Zod, an enum', zodSchema('draft-7'), { ...TASK, state: 'lost' }, '/state must be one of "open", "done"'],
    ['Zod, a tuple', zodSchema('draft-2020-12'), { ...TASK, point: [1] }, '/point must '],
    ['Zod, a slug', zodSchema('draft-2020-12'), { ...TASK, slug: 'A b' }, '/slug must match the pattern'],
  ])('refuse what does not match: %s', (_what, schema, value, problem) => {
    expect(valueProblem(schema, value)).toContain(problem);
  });
});

describe('the rules of a schema', () => {
  it.each<[string, Schema]>([
    ['nothing at all', {}],
    ['no type', { properties: { a: {} } }],
    ['anyOf at the root', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
    ['object or null', { type: ['object', 'null'] }],
    ['keywords that nobody knows', { type: 'object', 'x-order': 1, unevaluatedProperties: false, $dynamicRef: '#a' }],
    ['a property called $async', ofA({}, { properties: { $async: { type: 'boolean' }, $ref: { type: 'string' } } })],
    ['a pattern that only other engines read', ofA({ pattern: '(?P<year>\\d+)\\Z' })],
    ['recursion at the root', { type: 'object', properties: { next: { $ref: '#' } } }],
    ['a reference to itself', { $ref: '#' }],
    ['a flag of draft 4', ofA({ minimum: 1, exclusiveMinimum: true })],
    ['32 levels', nested(31)],
  ])('takes %s', (_what, schema) => {
    expect(schemaProblem(schema)).toBeUndefined();
    expect(valueProblem(schema, { a: 2 })).toBeUndefined();
  });

  it.each<[string, Schema, string]>([
    ['another type', { type: 'string' }, 'of type object'],
    ['$async', { type: 'object', $async: true }, '$async'],
    ['$async further in', ofA({ items: { $async: true } }), '$async'],
    ['$async where only a reference leads', ofA({ $ref: '#/hidden' }, { hidden: { $async: true } }), '$async'],
    ['another document', ofA({ $ref: 'https://example.com/a.json' }), 'other documents'],
    ['a reference to nothing', ofA({ $ref: '#/$defs/b' }), 'there is no #/$defs/b'],
    ['more than 64 KiB', { type: 'object', description: 'x'.repeat(64 * 1024) }, '64 KiB'],
    ['33 levels', nested(32), '32 levels'],
    ['100,000 levels', nested(100_000), '32 levels'],
    ['2,001 subschemas', { allOf: Array.from({ length: 2_001 }, () => ({})) }, '2,000 subschemas'],
    ['required that is no list', { required: 'a' }, 'required must be an array of names'],
    ['a type of another language', ofA({ type: 'float' }), 'type must be one of'],
    ['properties that are no schemas', { properties: { a: 1 } }, 'properties must be an object of schemas'],
  ])('refuses %s', (_what, schema, problem) => {
    expect(schemaProblem(schema)).toContain(problem);
  });

  it('counts each target of a chain of references', () => {
    expect(schemaProblem(chain(26))).toContain('2,000 subschemas');
    expect(schemaProblem(chain(8))).toBeUndefined();
  });
});

describe('the check of a value', () => {
  it.each<[string, Schema, unknown, boolean]>([
    ['a number that is whole', ofA({ type: 'integer' }), { a: 1.0 }, true],
    ['a fraction for an integer', ofA({ type: 'integer' }), { a: 1.5 }, false],
    ['null that OpenAPI allows', ofA({ type: 'string', nullable: true }), { a: null }, true],
    ['a multiple of 0.01', ofA({ multipleOf: 0.01 }), { a: 0.07 }, true],
    ['no multiple of 0.01', ofA({ multipleOf: 0.01 }), { a: 0.075 }, false],
    ['a huge multiple', ofA({ multipleOf: 1e-300 }), { a: 1e300 }, false],
    ['characters, not units', ofA({ maxLength: 1 }), { a: '😀' }, true],
    ['too few characters', ofA({ minLength: 2 }), { a: '😀' }, false],
    [
      'equal objects in another order',
      ofA({ uniqueItems: true }),
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
      false,
    ],
    ['a value of an enum, in another order', ofA({ enum: [{ x: 1, y: [2] }] }), { a: { y: [2], x: 1 } }, true],
    ['another const', ofA({ const: [1, 2] }), { a: [1, 3] }, false],
    ['one item too much', ofA({ contains: { const: 1 }, maxContains: 1 }), { a: [1, 1] }, false],
    ['nothing that is contained', ofA({ contains: { const: 1 } }), { a: [2] }, false],
    ['a name that is not allowed', { propertyNames: { maxLength: 1 } }, { ab: 1 }, false],
    ['a property that another one needs', { dependentRequired: { a: ['b'] } }, { a: 1 }, false],
    ['the same in draft 7', { dependencies: { a: ['b'] } }, { a: 1, b: 2 }, true],
    ['a branch', BRANCHES, { a: 2, c: 1 }, true],
    ['the other branch', BRANCHES, { a: 1 }, false],
    ['a tuple of draft 7', ofA({ items: [{ type: 'number' }], additionalItems: false }), { a: [1, 2] }, false],
    ['an anchor', ofA({ $ref: '#n' }, { $defs: { x: { $anchor: 'n', type: 'number' } } }), { a: 'b' }, false],
    [
      'keywords next to a reference',
      ofA({ $ref: '#/$defs/x', minimum: 3 }, { $defs: { x: { type: 'number' } } }),
      { a: 2 },
      false,
    ],
    ['one format of two', ofA({ oneOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }), { a: '1.2.3.4' }, true],
    ['what is not of a pattern that cannot be run', ofA({ not: { pattern: '(?=x)' } }), { a: 'y' }, true],
    ['a property that is false', ofA(false), { a: 1 }, false],
    ['mutual recursion', MUTUAL, { a: { b: { a: { b: {} } } } }, true],
    ['a fault in mutual recursion', MUTUAL, { a: { b: { a: { b: 1 } } } }, false],
  ])('%s', (_what, schema, value, expected) => {
    expect(isValid(schema, value)).toBe(expected);
  });

  it('checks own properties only', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}');
    expect(isValid(schema, JSON.parse('{"__proto__":"x","constructor":1}'))).toBe(true);
    expect(valueProblem(schema, JSON.parse('{"__proto__":1}'))).toBe('/__proto__ must be a string');
    expect(isValid(schema, {})).toBe(true);
    expect(isValid({ required: ['toString'] }, {})).toBe(false);
    expect(isValid({ properties: {}, additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toBe(false);
    expect(schemaProblem(ofA({ $ref: '#/__proto__' }))).toContain('there is no');
  });
});

/** An object schema with this many nested levels in keywords that are not evaluated. */
function nested(levels: number): Schema {
  let inner: unknown = 1;
  for (let level = 0; level < levels; level += 1) inner = [inner];
  return { 'x-nested': inner };
}

/** Each definition references the next one twice. */
function chain(length: number): Schema {
  const $defs: Record<string, unknown> = { [`d${length}`]: { type: 'string' } };
  for (let index = 0; index < length; index += 1) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    $defs[`d${index}`] = { anyOf: [next, next] };
  }
  return ofA({ $ref: '#/$defs/d0' }, { $defs });
}
