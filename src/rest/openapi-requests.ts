import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
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
import { type Components, described, nullable, presentInput } from './openapi-types.ts';
import { isJsonParameter } from './parameter-types.ts';
import { type Parameter, type Route, takesKey } from './route.ts';

/** The body of a request or response. */
export interface JsonContent {
  readonly 'application/json': { readonly schema: JsonSchema; readonly examples?: object };
}

/** A parameter of an operation. `content` is for JSON in a query parameter. */
export interface ParameterObject {
  readonly name: string;
  readonly in: Parameter['in'];
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
  readonly content?: JsonContent;
  readonly [keyword: string]: unknown;
}

interface Request {
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required?: boolean; readonly content: JsonContent };
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
    ...(takesKey(route) ? [IDEMPOTENCY_KEY] : []),
    ...(Object.keys(route.access).length > 0 ? [ENVIRONMENT] : []),
  ];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...bodyOfVariables(route, argumentsByVariable, components),
    ...(body && { requestBody: bodyOfInput(route, body, components) }),
  };
}

/** The body of a document with one input. A missing body counts as an empty object. */
function bodyOfInput(route: Route, { variable, type }: NonNullable<Route['body']>, components: Components) {
  const { required, ...described } = facts(definitionOf(route, variable), getNamedType(type));
  const schema = bodySchema(route, type, components);
  return {
    ...described,
    required: required && !components.allowsEmpty(schema),
    content: { 'application/json': { schema, ...bodyExamples(route) } },
  };
}

/** The input without the fields that the path and headers set. */
function bodySchema({ parameters }: Route, type: GraphQLInputType, components: Components): JsonSchema {
  const omitted = parameters.filter(({ isInput }) => isInput).map(({ variable }) => variable);
  return presentInput(type, components, new Set(omitted));
}

function namedParameters(
  route: Route,
  argumentsByVariable: ReadonlyMap<string, Target>,
  components: Components,
): ParameterObject[] {
  const outside = route.parameters.filter(({ in: place }) => place !== 'body');
  return outside.map(({ variable, isInput, name, in: place, type }) => {
    const definition = isInput ? undefined : definitionOf(route, variable);
    const { argument, owner } = (isInput ? inputField(route, variable) : argumentsByVariable.get(variable)) ?? {};
    return {
      name,
      in: place,
      ...facts(definition, argument),
      ...(place === 'path' && { required: true, ...(!route.published && exampleOf(route, name)) }),
      ...inPlace(route, place, type, {
        ...presentInput(type, components),
        ...limitsOf(argument, argument?.name ?? variable, owner ?? route.field.name),
        ...defaultOf(definition, type, components),
      }),
    };
  });
}

/** A query parameter of a published document can be JSON, because GraphQL's variables can be objects. */
function inPlace({ published }: Route, place: Parameter['in'], type: GraphQLInputType, schema: JsonSchema): object {
  const isJson = published && place === 'query' && isJsonParameter(type);
  return isJson ? { content: { 'application/json': { schema } } } : { schema };
}

/** The body of a published document: an object of its other variables. */
function bodyOfVariables(
  route: Route,
  argumentsByVariable: ReadonlyMap<string, Target>,
  components: Components,
): Pick<Request, 'requestBody'> {
  const parameters = route.parameters.filter(({ in: place }) => place === 'body');
  if (parameters.length === 0) return {};
  const properties = parameters.map(({ variable, type }) => {
    const definition = definitionOf(route, variable);
    const { argument, owner } = argumentsByVariable.get(variable) ?? {};
    const { description, required } = facts(definition, argument);
    const present = {
      ...presentInput(type, components),
      ...limitsOf(argument, argument?.name ?? variable, owner ?? route.field.name),
    };
    const schema = definition?.type.kind === Kind.NON_NULL_TYPE ? present : nullable(present);
    return {
      variable,
      required,
      schema: described({ ...schema, ...defaultOf(definition, type, components) }, description),
    };
  });
  const required = properties.filter((property) => property.required).map(({ variable }) => variable);
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(properties.map((property) => [property.variable, property.schema])),
    ...(required.length > 0 && { required }),
  };
  return { requestBody: { required: required.length > 0, content: { 'application/json': { schema } } } };
}

function inputField({ body }: Route, name: string): Target | undefined {
  const type = body && getNamedType(body.type);
  const argument = isInputObjectType(type) ? type.getFields()[name] : undefined;
  return argument && { argument };
}

/** The labels that filter a list: in OpenAPI, a deep object. */
function otherParameters({ directive }: Route): ParameterObject[] {
  const name = directive.others ?? directive.keyed;
  if (name === undefined) return [];
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  const alone = directive.others ? ' Every other query parameter filters like this by its own name: `tier=gold`.' : '';
  const description = `Filters by values of \`${name}\` by key: \`${name}[tier]=gold\`.${alone}`;
  return [{ name, in: 'query', explode: true, required: false, style: 'deepObject', description, schema }];
}

/** The argument or input field that a variable is passed to. */
interface Target {
  readonly argument: GraphQLArgument | GraphQLInputField;
  /** The input type of a field. */
  readonly owner?: string;
}

type Described = Pick<Target['argument'], 'description'>;

/** What each variable is passed to. It has the description and limits. */
function argumentsOf(schema: GraphQLSchema, { document }: Route): Map<string, Target> {
  const argumentsByVariable = new Map<string, Target>();
  const types = new TypeInfo(schema);
  const add = (value: ValueNode, argument: Target['argument'] | null | undefined, owner?: string) => {
    if (!argument || value.kind !== Kind.VARIABLE) return;
    argumentsByVariable.set(value.name.value, { argument, ...(owner !== undefined && { owner }) });
  };
  const visitor = visitWithTypeInfo(types, {
    Argument: ({ value }) => add(value, types.getArgument()),
    ObjectField({ name, value }) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent)) add(value, parent.getFields()[name.value], parent.name);
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

/** A default value, with the words of REST instead of the names of enum values. */
function defaultOf(
  definition: VariableDefinitionNode | undefined,
  type: GraphQLInputType,
  { style }: Components,
): JsonSchema {
  if (!definition?.defaultValue) return {};
  const value = valueFromASTUntyped(definition.defaultValue);
  const named = getNamedType(type);
  const member = isEnumType(named) ? named.getValue(String(value)) : undefined;
  return { default: member ? style.wordOf(member) : value };
}
