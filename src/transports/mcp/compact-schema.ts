import type { JsonSchema } from '../../rest/json-schema.ts';
import type { ObjectSchema } from './input-schema.ts';

/**
 * Clients put the schemas of all tools into every prompt, so the schemas leave out rules that only the service needs. It
 * checks them, and its errors name the argument.
 */
const KEPT = ['format', 'const', 'minimum', 'maximum', 'default'] as const;

/** A longer list of values becomes a text. */
const MOST_VALUES = 12;

/** A larger bound says nothing, and neither does 0. */
const LARGEST_BOUND = 1_000_000;

/** A tool has no query string that repeats a name, and no response headers. Its description names the scope. */
const OTHER_SENTENCES = / (Repeat it for several \w+|It replays the response .*|Another body with .*|Scope: [\w:]+)\./g;

type Definitions = Readonly<Record<string, JsonSchema>>;

/** The arguments of a tool, with types, values and descriptions. An optional argument can be left out, but is never null. */
export function compactInput({ $defs = {}, properties = {}, required = [] }: ObjectSchema): ObjectSchema {
  const compact = (one: JsonSchema) => argument(one, $defs);
  return { type: 'object', properties: mapValues(properties, compact), required, additionalProperties: false };
}

function argument(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const inner = (one: JsonSchema) => argument(one, definitions);
  const {
    description,
    properties,
    items,
    additionalProperties,
    required,
    enum: values,
    ...rest
  } = resolve(schema, definitions);
  const isTime = rest.anyOf?.some(({ format }) => format === 'date') ?? false;
  const kept = KEPT.filter(
    (key) => rest[key] !== undefined && rest[key] !== 0 && !(Number(rest[key]) >= LARGEST_BOUND),
  );
  return {
    ...typed(typesOf(rest, definitions).filter((type) => type !== 'null')),
    ...Object.fromEntries(kept.map((key) => [key, rest[key]])),
    ...(values && values.length <= MOST_VALUES && { enum: values }),
    ...(properties && { properties: mapValues(properties, inner) }),
    ...(properties && required && { required }),
    ...(items && { items: inner(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: inner(additionalProperties) }),
    ...(description && { description: `${description.replaceAll(OTHER_SENTENCES, '')}${isTime ? ' ISO 8601.' : ''}` }),
  };
}

/** The result of a tool: its fields with their types, and the names of the fields in objects and in the first list. */
export function compactOutput({ $defs = {}, properties = {} }: ObjectSchema): ObjectSchema {
  const [first] = Object.keys(properties);
  const fields = Object.entries(properties).map(([name, one]) => [name, field(one, $defs, name === first)]);
  return { type: 'object', properties: Object.fromEntries(fields) };
}

function field(schema: JsonSchema, definitions: Definitions, showsItems: boolean): JsonSchema {
  const { properties, items, ...rest } = resolve(schema, definitions);
  return {
    ...typed(typesOf(rest, definitions)),
    ...(properties && { properties: mapValues(properties, () => ({})) }),
    ...(items && showsItems && { items: field(items, definitions, false) }),
  };
}

function typed(types: readonly string[]): Pick<JsonSchema, 'type'> {
  const [only, ...others] = types;
  if (!only) return {};
  return { type: others.length > 0 ? types : only };
}

/** The schema that a reference names. Its own keywords take precedence. */
function resolve({ $ref, ...own }: JsonSchema, definitions: Definitions): JsonSchema {
  return { ...definitions[$ref?.split('/').at(-1) ?? ''], ...own };
}

/** The types of a value, also of its alternatives. */
function typesOf({ type = [], anyOf = [] }: JsonSchema, definitions: Definitions): string[] {
  const alternatives = anyOf.flatMap((one) => typesOf(resolve(one, definitions), definitions));
  return [...new Set([...[type].flat(), ...alternatives])];
}

function mapValues(
  schemas: Readonly<Record<string, JsonSchema>>,
  compact: (schema: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, compact(schema)]));
}
