import { isObject, isSchema, type Schema, SUBSCHEMAS } from './schema.ts';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Test = (value) => typeof value === 'number' && value >= 0 && Number.isInteger(value);
const isFlag: Test = (value) => typeof value === 'boolean';
const isList: Test = Array.isArray;
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const namedOf =
  (test: Test): Test =>
  (value) =>
    isObject(value) && Object.values(value).every(test);
const either =
  (one: Test, other: Test): Test =>
  (value) =>
    one(value) || other(value);

export const TYPES: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

const COUNT = { test: isCount, says: 'a whole number that is not negative' };
const NUMBER = { test: isNumber, says: 'a number' };
/** Draft 4 uses a boolean with `minimum` and `maximum`. */
const BOUND = { test: either(isNumber, isFlag), says: 'a number' };
const SCHEMA = { test: isSchema, says: 'a schema' };

const SUBSCHEMA_FORMS = {
  schema: SCHEMA,
  schemas: { test: listOf(isSchema), says: 'an array of schemas' },
  'schema or schemas': { test: either(isSchema, listOf(isSchema)), says: 'a schema, or an array of schemas' },
  'named schemas': { test: namedOf(isSchema), says: 'an object of schemas' },
  'named schemas or names': {
    test: namedOf(either(isSchema, listOf(isText))),
    says: 'an object of schemas or of lists of names',
  },
} as const;

const FORMS: Readonly<Record<string, { readonly test: Test; readonly says: string }>> = {
  ...Object.fromEntries(Object.entries(SUBSCHEMAS).map(([keyword, form]) => [keyword, SUBSCHEMA_FORMS[form]])),
  $ref: { test: isText, says: 'a string' },
  type: {
    test: either(
      (value) => TYPES.has(value),
      listOf((value) => TYPES.has(value)),
    ),
    says: `one of ${[...TYPES].join(', ')}, or an array of them`,
  },
  enum: { test: isList, says: 'an array' },
  // Draft 3 uses a boolean.
  required: { test: either(listOf(isText), isFlag), says: 'an array of names' },
  dependentRequired: { test: namedOf(listOf(isText)), says: 'an object of lists of names' },
  pattern: { test: isText, says: 'a string' },
  minLength: COUNT,
  maxLength: COUNT,
  minItems: COUNT,
  maxItems: COUNT,
  minContains: COUNT,
  maxContains: COUNT,
  minProperties: COUNT,
  maxProperties: COUNT,
  uniqueItems: { test: isFlag, says: 'true or false' },
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: BOUND,
  exclusiveMaximum: BOUND,
  multipleOf: { test: (value) => isNumber(value) && (value as number) > 0, says: 'a number above 0' },
};

/** Finds a keyword whose value has the wrong type. */
export function formProblem(schema: Schema): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const form = Object.hasOwn(FORMS, keyword) ? FORMS[keyword] : undefined;
    if (form && !form.test(value)) return `must be a valid JSON Schema: ${keyword} must be ${form.says}`;
  }
  return undefined;
}
