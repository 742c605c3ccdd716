import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { SCOPES } from '../contract/scopes.ts';
import { TOOL_NAME_PATTERN } from '../contract/tool-names.ts';
import { snakeCase } from './names.ts';
import { limitsOf } from './openapi-limits.ts';

/** The words of JSON Schema 2020-12 that the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly default?: unknown;
}

const NULL: JsonSchema = { type: 'null' };

const TOOL_NAME: JsonSchema = { type: 'string', pattern: TOOL_NAME_PATTERN.source };

const CLIENT_CAPABILITY: JsonSchema = {
  anyOf: [
    TOOL_NAME,
    {
      type: 'object',
      properties: { name: TOOL_NAME, input_schema: { type: ['object', 'null'], additionalProperties: true } },
      required: ['name'],
    },
  ],
};

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  ClientCapability: CLIENT_CAPABILITY,
  DateTime: { type: 'string', format: 'date-time' },
  Float: { type: 'number' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  JSON: {},
  JSONObject: { type: 'object', additionalProperties: true },
  ReplyContent: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] },
  SafeInt: { type: 'integer' },
  Scope: { type: 'string', enum: SCOPES },
  String: { type: 'string' },
  UUID: { type: 'string', format: 'uuid' },
};

/** Schemas that stand in the document once and are referred to by name. */
export class Components {
  readonly #sources = new Map<string, object>();
  readonly #schemas = new Map<string, JsonSchema>();

  /** @throws {Error} where two things of the document would share a name */
  refer(name: string, source: object, make: () => JsonSchema): JsonSchema {
    const known = this.#sources.get(name);
    if (known && known !== source) throw new Error(`Two schemas of the OpenAPI document are called ${name}.`);
    if (!known) {
      // Before it is made, since an input type may hold itself.
      this.#sources.set(name, source);
      this.#schemas.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  byName(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined) return { ...schema, type: [...new Set([schema.type, 'null'].flat())] };
  // An empty schema takes null already.
  if (Object.keys(schema).length === 0) return schema;
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf.filter(({ type }) => type !== 'null'), NULL] };
  return { anyOf: [schema, NULL] };
}

export function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  return description ? { ...schema, description } : schema;
}

/** @throws {Error} for a scalar that has no JSON Schema yet */
export function leafSchema(type: GraphQLLeafType, components: Components): JsonSchema {
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name);
    return components.refer(type.name, type, () => described({ type: 'string', enum: values }, type.description));
  }
  const schema = SCALARS[type.name];
  if (!schema) throw new Error(`The scalar ${type.name} has no JSON Schema: add it to SCALARS in src/rest.`);
  return schema;
}

/** A description that speaks of its type's other fields. */
function inRestNames(text: string | null | undefined, fields: readonly { readonly name: string }[]) {
  return text?.replace(/\b[a-z]+[A-Z]\w*/g, (word) =>
    fields.some(({ name }) => name === word) ? snakeCase(word) : word,
  );
}

/** What a caller may send for a type, in the names of REST. */
function inputSchema(type: GraphQLInputType, components: Components): JsonSchema {
  const bare = getNullableType(type);
  const schema = presentInput(bare, components);
  return isNonNullType(type) ? schema : nullable(schema);
}

/** The same where null is no value, as in a path or a query. */
export function presentInput(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return presentInput(type.ofType, components);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, components) };
  if (isLeafType(type)) return leafSchema(type, components);
  return components.refer(type.name, type, () => described(inputObject(type, components), type.description));
}

function inputObject(type: GraphQLInputObjectType, components: Components): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields.filter(isRequiredInputField).map(({ name }) => snakeCase(name));
  const properties = fields.map((field) => {
    const schema = { ...inputSchema(field.type, components), ...limitsOf(field.name, type.name) };
    const withDefault = field.defaultValue === undefined ? schema : { ...schema, default: field.defaultValue };
    return [snakeCase(field.name), described(withDefault, inRestNames(field.description, fields))] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}
