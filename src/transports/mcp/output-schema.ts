import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { JsonSchema } from '../../rest/json-schema.ts';
import { selectedHeaders } from '../../rest/openapi-headers.ts';
import { eventVariants, responseSchema } from '../../rest/openapi-responses.ts';
import type { Components } from '../../rest/openapi-types.ts';
import type { Route } from '../../rest/route.ts';
import { argumentName, componentsOf, type ObjectSchema, standalone } from './input-schema.ts';

/** The result of a tool: the body of the REST response, with the values of its headers. */
export function outputSchemaOf(schema: GraphQLSchema, route: Route): ObjectSchema {
  const components = componentsOf(route);
  const result = resultSchema(schema, route, components);
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

/** A subscription's result is its last event. @throws {Error} if no event is the last */
function resultSchema(schema: GraphQLSchema, route: Route, components: Components): JsonSchema {
  if (route.operation.operation !== OperationTypeNode.SUBSCRIPTION) return responseSchema(schema, route, components);
  const last = eventVariants(schema, route, components).find(({ type }) => type.name.endsWith('Done'));
  if (!last) throw new Error(`${route.name}: a subscription needs a last event to be a tool.`);
  return last.schema;
}

function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return (name && components.byName()[name]) || schema;
}
