import {
  type GraphQLArgument,
  type GraphQLSchema,
  Kind,
  TypeInfo,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { bodyExamples, exampleOf } from './openapi-examples.ts';
import { answerHeaders, ENVIRONMENT, IDEMPOTENCY_KEY, IF_NONE_MATCH, isConditional } from './openapi-headers.ts';
import { limitsOf } from './openapi-limits.ts';
import { type Components, type JsonSchema, presentInput } from './openapi-types.ts';
import type { Route } from './route.ts';

/** The body of a request or an answer. */
export interface JsonContent {
  readonly 'application/json': { readonly schema: JsonSchema; readonly examples?: object };
}

interface Request {
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly content: JsonContent };
}

/** What a route takes: parameters, and a body. */
export function requestOf(schema: GraphQLSchema, route: Route, components: Components): Request {
  const filled = filledArguments(schema, route);
  const { body } = route;
  const conditional = isConditional(route, answerHeaders(schema, route, components)) ? [IF_NONE_MATCH] : [];
  const parameters = [
    ...namedParameters(route, filled, components),
    ...otherParameters(route),
    ...conditional,
    ...(route.method === 'post' ? [IDEMPOTENCY_KEY] : []),
    ...(Object.keys(route.access).length > 0 ? [ENVIRONMENT] : []),
  ];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        ...facts(definitionOf(route, body.variable), filled.get(body.variable)),
        content: { 'application/json': { schema: presentInput(body.type, components), ...bodyExamples(route) } },
      },
    }),
  };
}

function namedParameters(route: Route, filled: ReadonlyMap<string, GraphQLArgument>, components: Components): object[] {
  return route.parameters.map(({ variable, name, in: place, type }) => ({
    name,
    in: place,
    ...facts(definitionOf(route, variable), filled.get(variable)),
    ...(place === 'path' && { required: true, ...exampleOf(route, name) }),
    schema: {
      ...presentInput(type, components),
      ...limitsOf(filled.get(variable)?.name ?? variable, route.field.name),
      ...defaultOf(definitionOf(route, variable)),
    },
  }));
}

/** Query names that are no parameter's, as OpenAPI says it: an object whose entries stand in the query by themselves. */
function otherParameters({ directive }: Route): object[] {
  if (!directive.others) return [];
  const description = 'Any other query name filters by the meta value of that key.';
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  return [{ name: directive.others, in: 'query', style: 'form', explode: true, description, required: false, schema }];
}

/** The argument that each variable fills: what describes and limits it. */
function filledArguments(schema: GraphQLSchema, { document }: Route): Map<string, GraphQLArgument> {
  const filled = new Map<string, GraphQLArgument>();
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    Argument({ value }) {
      const argument = types.getArgument();
      if (argument && value.kind === Kind.VARIABLE) filled.set(value.name.value, argument);
    },
  });
  visit(document, visitor);
  return filled;
}

function definitionOf({ operation }: Route, name: string): VariableDefinitionNode | undefined {
  return operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
}

/** A document may describe its variable better than the argument does, which knows nothing of REST. */
function facts(definition: VariableDefinitionNode | undefined, argument: GraphQLArgument | undefined) {
  const description = definition?.description?.value ?? argument?.description;
  const required = definition?.type.kind === Kind.NON_NULL_TYPE && !definition.defaultValue;
  return { ...(description && { description }), required };
}

function defaultOf(definition: VariableDefinitionNode | undefined): JsonSchema {
  return definition?.defaultValue ? { default: valueFromASTUntyped(definition.defaultValue) } : {};
}
