import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { JsonSchema } from './json-schema.ts';
import { bodyExamples, exampleOf } from './openapi-examples.ts';
import { ENVIRONMENT, IDEMPOTENCY_KEY, IF_NONE_MATCH, isConditional, responseHeaders } from './openapi-headers.ts';
import { limitsOf } from './openapi-limits.ts';
import { type Components, presentInput } from './openapi-types.ts';
import type { Route } from './route.ts';

/** The body of a request or response. */
export interface JsonContent {
  readonly 'application/json': { readonly schema: JsonSchema; readonly examples?: object };
}

interface Request {
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly content: JsonContent };
}

/** The parameters and body of a route. */
export function requestOf(schema: GraphQLSchema, route: Route, components: Components): Request {
  const argumentsByVariable = argumentsOf(schema, route);
  const { body } = route;
  const conditional = isConditional(route, responseHeaders(schema, route, components)) ? [IF_NONE_MATCH] : [];
  const parameters = [
    ...namedParameters(route, argumentsByVariable, components),
    ...otherParameters(route),
    ...conditional,
    ...(route.method === 'post' ? [IDEMPOTENCY_KEY] : []),
    ...(Object.keys(route.access).length > 0 ? [ENVIRONMENT] : []),
  ];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        ...facts(definitionOf(route, body.variable), getNamedType(body.type)),
        content: { 'application/json': { schema: bodySchema(route, body.type, components), ...bodyExamples(route) } },
      },
    }),
  };
}

/** The input without the fields that the path and headers set. */
function bodySchema({ parameters }: Route, type: GraphQLInputType, components: Components): JsonSchema {
  const omitted = parameters.filter(({ isInput }) => isInput).map(({ variable }) => variable);
  return presentInput(type, components, new Set(omitted));
}

function namedParameters(
  route: Route,
  argumentsByVariable: ReadonlyMap<string, Argument>,
  components: Components,
): object[] {
  return route.parameters.map(({ variable, isInput, name, in: place, type }) => {
    const definition = isInput ? undefined : definitionOf(route, variable);
    const argument = isInput ? inputField(route, variable) : argumentsByVariable.get(variable);
    return {
      name,
      in: place,
      ...facts(definition, argument),
      ...(place === 'path' && { required: true, ...exampleOf(route, name) }),
      schema: {
        ...presentInput(type, components),
        ...limitsOf(argument?.name ?? variable, route.field.name),
        ...defaultOf(definition),
      },
    };
  });
}

function inputField({ body }: Route, name: string): GraphQLInputField | undefined {
  const type = body && getNamedType(body.type);
  return isInputObjectType(type) ? type.getFields()[name] : undefined;
}

/** All other query parameters: in OpenAPI, an exploded object. */
function otherParameters({ directive }: Route): object[] {
  if (!directive.others) return [];
  const description = 'Every other query parameter filters by the `meta` value of that key.';
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  return [{ name: directive.others, in: 'query', style: 'form', explode: true, description, required: false, schema }];
}

type Argument = GraphQLArgument | GraphQLInputField;

type Described = Pick<Argument, 'description'>;

/** The argument or input field that each variable is passed to. It has the description and limits. */
function argumentsOf(schema: GraphQLSchema, { document }: Route): Map<string, Argument> {
  const argumentsByVariable = new Map<string, Argument>();
  const types = new TypeInfo(schema);
  const add = (value: ValueNode, argument: Argument | null | undefined) => {
    if (argument && value.kind === Kind.VARIABLE) argumentsByVariable.set(value.name.value, argument);
  };
  const visitor = visitWithTypeInfo(types, {
    Argument: ({ value }) => add(value, types.getArgument()),
    ObjectField({ name, value }) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent)) add(value, parent.getFields()[name.value]);
    },
  });
  visit(document, visitor);
  return argumentsByVariable;
}

function definitionOf({ operation }: Route, name: string): VariableDefinitionNode | undefined {
  return operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
}

/** A description in the REST document takes precedence over the description of the argument. */
function facts(definition: VariableDefinitionNode | undefined, argument: Described | undefined) {
  const description = definition?.description?.value ?? argument?.description;
  const required = definition?.type.kind === Kind.NON_NULL_TYPE && !definition.defaultValue;
  return { ...(description && { description }), required };
}

function defaultOf(definition: VariableDefinitionNode | undefined): JsonSchema {
  return definition?.defaultValue ? { default: valueFromASTUntyped(definition.defaultValue) } : {};
}
