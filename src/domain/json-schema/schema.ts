export type Schema = Readonly<Record<string, unknown>>;

/** The expected type of a keyword's value. The forms of draft 4 to draft 2020-12 are accepted. */
type Form = 'schema' | 'schemas' | 'schema or schemas' | 'named schemas' | 'named schemas or names';

/** Keywords that contain schemas. */
export const SUBSCHEMAS: Readonly<Record<string, Form>> = {
  items: 'schema or schemas',
  prefixItems: 'schemas',
  additionalItems: 'schema',
  contains: 'schema',
  properties: 'named schemas',
  patternProperties: 'named schemas',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: the keyword is called so, and nothing awaits this object.
  then: 'schema',
  else: 'schema',
  dependentSchemas: 'named schemas',
  dependencies: 'named schemas or names',
  $defs: 'named schemas',
  definitions: 'named schemas',
};

/** Keywords that contain schemas only for references. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSchema(value: unknown): value is Schema | boolean {
  return typeof value === 'boolean' || isObject(value);
}

/** Returns the direct subschemas of a schema. */
export function subschemasOf(schema: Schema, without: ReadonlySet<string> = new Set()): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (!Object.hasOwn(SUBSCHEMAS, keyword) || without.has(keyword)) return [];
    return Array.isArray(value) ? value : SUBSCHEMAS[keyword]?.startsWith('named') ? namedSchemas(value) : [value];
  });
}

function namedSchemas(value: unknown): unknown[] {
  // Names instead of a schema: `dependencies` of draft 7.
  return isObject(value) ? Object.values(value).filter((item) => !Array.isArray(item)) : [];
}
