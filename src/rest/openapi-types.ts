import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { COMPLETION_TOOL, TOOL_NAME_PATTERN } from '../contract/tool-names.ts';
import { GRAPHQL_INPUT, type InputStyle } from '../operation/input.ts';
import type { JsonSchema } from './json-schema.ts';
import { inputName, REST_INPUT } from './names.ts';
import { limitsOf } from './openapi-limits.ts';
import { rulesOf } from './openapi-rules.ts';

const NULL: JsonSchema = { type: 'null' };

/** The service runs this tool itself. */
const NO_SERVER_TOOL: JsonSchema = { not: { const: COMPLETION_TOOL } };

const CLIENT_CAPABILITY: JsonSchema = {
  anyOf: [
    { type: 'string', ...NO_SERVER_TOOL },
    {
      type: 'object',
      properties: {
        name: { type: 'string', pattern: TOOL_NAME_PATTERN.source, ...NO_SERVER_TOOL },
        input_schema: {
          type: ['object', 'null'],
          description: 'A JSON Schema of type object. References must stay in the schema.',
          additionalProperties: true,
        },
      },
      required: ['name'],
    },
    // The service ignores a name that no tool can have, unless the object has a schema.
    {
      type: 'object',
      properties: { name: { type: 'string', ...NO_SERVER_TOOL }, input_schema: { type: 'null' } },
      required: ['name'],
    },
  ],
};

/** Input can also be a date. */
const INPUT_TIME: JsonSchema = {
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
  ],
};

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Float: { type: 'number' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  JSON: {},
  JSONObject: { type: 'object', additionalProperties: true },
  ReplyContent: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] },
  SafeInt: { type: 'integer', format: 'int64' },
  String: { type: 'string' },
  UUID: { type: 'string', format: 'uuid' },
};

/** How the schemas name what they describe. */
interface Naming {
  readonly style: InputStyle;
  /** Whether a selection that is one fragment becomes a named schema. */
  readonly namesFragments: boolean;
}

/** The names of published documents: those of GraphQL. Fragments of two documents can have the same name. */
export const GRAPHQL_NAMING: Naming = { style: GRAPHQL_INPUT, namesFragments: false };

const COMPONENTS = '#/components/schemas/';

/** What the schema of an object has that is valid without properties. */
const WITHOUT_RULES = new Set(['type', 'properties', 'description']);

/** Named schemas of the document. */
export class Components {
  readonly style: InputStyle;
  readonly namesFragments: boolean;
  readonly #sources = new Map<string, object>();
  readonly #schemas = new Map<string, JsonSchema>();

  constructor({ style, namesFragments }: Naming = { style: REST_INPUT, namesFragments: true }) {
    this.style = style;
    this.namesFragments = namesFragments;
  }

  /** Whether schemas have the names and words of the built-in REST paths. */
  get isRest(): boolean {
    return this.style === REST_INPUT;
  }

  /** @throws {Error} if two schemas have the same name */
  refer(name: string, source: object, make: () => JsonSchema): JsonSchema {
    const known = this.#sources.get(name);
    if (known && known !== source) throw new Error(`Two schemas of the OpenAPI document are called ${name}.`);
    if (!known) {
      // Registered first, because an input type can contain itself.
      this.#sources.set(name, source);
      this.#schemas.set(name, make());
    }
    return { $ref: `${COMPONENTS}${name}` };
  }

  /** Whether an empty object is valid: the component has no rule but the types of its properties. */
  allowsEmpty({ $ref = '' }: JsonSchema): boolean {
    const component = this.#schemas.get($ref.slice(COMPONENTS.length));
    return component !== undefined && Object.keys(component).every((rule) => WITHOUT_RULES.has(rule));
  }

  byName(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined) return { ...schema, type: [...new Set([schema.type, 'null'].flat())] };
  // An empty schema already allows null.
  if (Object.keys(schema).length === 0) return schema;
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf.filter(({ type }) => type !== 'null'), NULL] };
  return { anyOf: [schema, NULL] };
}

export function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { ...schema, description } : schema;
}

/** @throws {Error} if a scalar has no JSON Schema */
export function leafSchema(type: GraphQLLeafType, components: Components): JsonSchema {
  if (isEnumType(type)) {
    const values = type.getValues().map(components.style.wordOf);
    return components.refer(type.name, type, () =>
      described({ type: 'string', enum: values }, inRestWords(type.description, type, components)),
    );
  }
  const schema = SCALARS[type.name];
  if (!schema)
    throw new Error(`The scalar ${type.name} has no JSON Schema. Add one to SCALARS in src/rest/openapi-types.ts.`);
  return schema;
}

/** A description of an enum, or of a field with this type: with the words of REST instead of the names of values. */
export function inRestWords(
  text: string | null | undefined,
  type: GraphQLNamedType,
  { isRest }: Components,
): string | null | undefined {
  if (!isRest || !isEnumType(type)) return text;
  return text?.replace(/\b[A-Z_]+\b/g, (word) => type.getValue(word)?.value ?? word);
}

/** Renames the input fields that a description mentions. */
function inRestNames(text: string | null | undefined, fields: readonly GraphQLInputField[]) {
  return text?.replace(/\b[a-z]+[A-Z]\w*/g, (word) => {
    const field = fields.find(({ name }) => name === word);
    return (field && inputName(field)) ?? word;
  });
}

/** The JSON Schema of an input type, with REST names. */
function inputSchema(type: GraphQLInputType, components: Components): JsonSchema {
  const bare = getNullableType(type);
  const schema = presentInput(bare, components);
  return isNonNullType(type) ? schema : nullable(schema);
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** The JSON Schema of an input type without null, as in a path or query string. `omitted` fields of an object are left out. */
export function presentInput(type: GraphQLInputType, components: Components, omitted = NO_FIELDS): JsonSchema {
  if (isNonNullType(type)) return presentInput(type.ofType, components, omitted);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, components) };
  if (type.name === 'DateTime') return INPUT_TIME;
  if (isLeafType(type)) return leafSchema(type, components);
  if (components.isRest && type.name === 'ClientCapabilityInput') return CLIENT_CAPABILITY;
  return components.refer(type.name, type, () => inputObject(type, components, omitted));
}

function defaultOf({ type, defaultValue }: GraphQLInputField, { wordOf }: InputStyle): unknown {
  const named = getNamedType(type);
  const value = isEnumType(named) ? named.getValues().find((one) => one.value === defaultValue) : undefined;
  return value ? wordOf(value) : defaultValue;
}

function inputObject(type: GraphQLInputObjectType, components: Components, omitted: ReadonlySet<string>): JsonSchema {
  const { style, isRest } = components;
  // A @oneOf type has another form in REST.
  if (isRest && type.isOneOf) return { type: 'object', ...rulesOf(type.name) };
  const fields = Object.values(type.getFields()).filter((field) => style.nameOf(field) && !omitted.has(field.name));
  const required = fields.filter(isRequiredInputField).flatMap((field) => style.nameOf(field) ?? []);
  const needed = fields.filter(({ extensions }) => extensions.isNeeded === true);
  const properties = fields.map((field) => {
    const schema =
      type.isOneOf || needed.includes(field)
        ? presentInput(field.type, components)
        : inputSchema(field.type, components);
    const limited = { ...schema, ...limitsOf(field, field.name, type.name) };
    const withDefault = field.defaultValue === undefined ? limited : { ...limited, default: defaultOf(field, style) };
    const description = isRest ? inRestNames(field.description, fields) : field.description;
    return [style.nameOf(field), described(withDefault, description)] as const;
  });
  // The rules between fields are written with the names of REST.
  const oneOf: JsonSchema = { minProperties: 1, maxProperties: 1 };
  const restRules = isRest ? rulesOf(type.name) : {};
  const { required: alsoRequired = [], ...rules } = type.isOneOf ? oneOf : restRules;
  const all = [...required, ...needed.flatMap((field) => style.nameOf(field) ?? []), ...alsoRequired];
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(all.length > 0 && { required: all }),
    ...rules,
    ...(type.description && { description: type.description }),
  };
}
