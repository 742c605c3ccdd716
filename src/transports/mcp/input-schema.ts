import { type GraphQLSchema, isInputType } from 'graphql';
import type { JsonSchema } from '../../rest/json-schema.ts';
import { requestOf } from '../../rest/openapi-requests.ts';
import { Components, GRAPHQL_NAMING, presentInput } from '../../rest/openapi-types.ts';
import type { Parameter, Route } from '../../rest/route.ts';

/** A schema that stands alone: its references stay in it. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** The schema of an object with these properties. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Parameters of REST that a tool does not have: the connection has them, or they only make sense in HTTP. */
const HTTP_ONLY: ReadonlySet<string> = new Set(['prefer', 'if_none_match', 'x_environment']);

/** The argument of a tool for a parameter of REST. */
export const argumentName = (parameter: string): string => parameter.toLowerCase().replaceAll('-', '_');

/** Variables of published documents keep their names. */
export const argumentOf = ({ name, in: place }: Pick<Parameter, 'name' | 'in'>): string =>
  place === 'header' ? argumentName(name) : name;

/** Published documents have the names of GraphQL. */
export function componentsOf({ published }: Route): Components {
  return published ? new Components(GRAPHQL_NAMING) : new Components();
}

/**
 * The arguments of a tool: the parameters of the route and the fields of its body, in one object. Rules between the fields
 * are left to the pipeline, because model providers reject `anyOf` and `oneOf` at the top of a tool's schema.
 */
export function inputSchemaOf(schema: GraphQLSchema, route: Route): ObjectSchema {
  const components = componentsOf(route);
  const { parameters = [], requestBody } = requestOf(schema, route, components);
  const own = parameters
    .map((parameter) => ({ ...parameter, name: argumentOf(parameter) }))
    .filter(({ name }) => !HTTP_ONLY.has(name));
  const body = requestBody && bodyOf(requestBody.content['application/json'].schema, components);
  const { properties = {}, required = [] } = body ?? {};
  const fields = Object.entries(properties).filter(([name]) => !HTTP_ONLY.has(name));
  return standalone(
    {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          own.map(({ name, description, schema: value, content }) => [
            name,
            { ...(value ?? content?.['application/json'].schema), ...(description && { description }) },
          ]),
        ),
        ...Object.fromEntries(fields),
      },
      required: [...own.filter((parameter) => parameter.required).map(({ name }) => name), ...required],
      additionalProperties: false,
    },
    { schema, components },
  );
}

/** The schema of a body is a reference to a component. A published document has its own. */
function bodyOf(schema: JsonSchema, components: Components): JsonSchema {
  const { $ref } = schema;
  if ($ref === undefined) return schema;
  const body = components.byName()[$ref?.split('/').at(-1) ?? ''];
  if (!body) throw new Error('The body of a tool must be an input object.');
  return body;
}

/** Moves the components that a schema refers to into it. */
export function standalone(
  root: JsonSchema & { type: 'object' },
  { schema, components }: { readonly schema: GraphQLSchema; readonly components: Components },
): ObjectSchema {
  const definitions = new Map<string, JsonSchema>();
  const add = (text: string): void => {
    for (const [, name = ''] of text.matchAll(REFERENCE)) {
      if (definitions.has(name)) continue;
      const definition = componentOf(name, schema, components);
      definitions.set(name, definition);
      add(JSON.stringify(definition));
    }
  };
  add(JSON.stringify(root));
  const whole = definitions.size > 0 ? { ...root, $defs: Object.fromEntries(definitions) } : root;
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/')) as ObjectSchema;
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** A rule can refer to a type that no field of this tool has. */
function componentOf(name: string, schema: GraphQLSchema, components: Components): JsonSchema {
  const type = schema.getType(name);
  if (!components.byName()[name] && isInputType(type)) presentInput(type, components);
  const component = components.byName()[name];
  if (!component) throw new Error(`There is no component ${name}.`);
  return component;
}
