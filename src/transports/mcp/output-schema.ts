import type { GraphQLSchema } from 'graphql';
import type { JsonSchema } from '../../rest/json-schema.ts';
import { selectedHeaders } from '../../rest/openapi-headers.ts';
import { responseSchema } from '../../rest/openapi-responses.ts';
import type { Components } from '../../rest/openapi-types.ts';
import type { Route } from '../../rest/route.ts';
import { argumentName, componentsOf, type ObjectSchema, standalone } from './input-schema.ts';

/** The result of a tool: the body of the REST response, with the values of its headers. */
export function outputSchemaOf(schema: GraphQLSchema, route: Route): ObjectSchema {
  const components = componentsOf(route);
  const result = responseSchema(schema, route, components);
  const headers = Object.entries(selectedHeaders(schema, route, components)).map(
    ([name, { schema: value }]) => [argumentName(name), value] as const,
  );
  const { type: _, properties = {}, required = [], ...rules } = resolved(result, components);
  return standalone(
    {
      type: 'object',
      properties: { ...properties, ...Object.fromEntries(headers) },
      required: [...required, ...headers.map(([name]) => name)],
      ...rules,
    },
    { schema, components },
  );
}

function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return (name && components.byName()[name]) || schema;
}
