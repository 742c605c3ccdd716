import type { JsonSchema } from '../json-schema.ts';
import { responseSchema } from '../openapi-responses.ts';
import { Components, GRAPHQL_NAMING } from '../openapi-types.ts';
import type { CompiledDocument } from './compile.ts';

/** The variables of a document, and the body of its successful response. Undefined: the response has no body. */
export interface DocumentSchemas {
  readonly variables: JsonSchema;
  readonly result: JsonSchema | undefined;
}

/** References of both schemas lead to the `schemas` of the compiled document. */
export function schemasOf({ route, operation }: CompiledDocument): DocumentSchemas {
  const body = operation.requestBody?.content['application/json'].schema;
  const parameters = (operation.parameters ?? []).filter(({ name, in: place }) =>
    route.parameters.some((parameter) => parameter.name === name && parameter.in === place),
  );
  const variableOf = new Map(route.parameters.map(({ name, variable }) => [name, variable]));
  const properties = parameters.map(({ name, schema, content }) => [
    variableOf.get(name) ?? name,
    schema ?? content?.['application/json'].schema ?? {},
  ]);
  const required = [
    ...parameters.filter((parameter) => parameter.required).map(({ name }) => variableOf.get(name) ?? name),
    ...(body?.required ?? []),
  ];
  return {
    variables: {
      type: 'object',
      properties: { ...Object.fromEntries(properties), ...body?.properties },
      ...(required.length > 0 && { required }),
    },
    result:
      route.directive.status === 204 ? undefined : responseSchema(route.schema, route, new Components(GRAPHQL_NAMING)),
  };
}
