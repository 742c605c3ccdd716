import { basename } from 'node:path';
import { type GraphQLSchema, getNamedType, OperationTypeNode } from 'graphql';
import type { Access } from '../graphql/field-scope.ts';
import { answerSchema } from './openapi-answers.ts';
import { ERROR_SCHEMA, errorAnswers, errorResponses, REQUEST_ID_HEADER } from './openapi-errors.ts';
import { answerHeaders, isConditional } from './openapi-headers.ts';
import { type JsonContent, requestOf } from './openapi-requests.ts';
import { Components, type JsonSchema } from './openapi-types.ts';
import type { Route } from './route.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, object>>;
}

export interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: JsonContent };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly [key: string]: unknown;
}

/** Described here, or a reference to where it is. */
interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Partial<JsonContent & StreamContent>;
}

/** A reply that is read as it is made. */
interface StreamContent {
  readonly 'text/plain': { readonly schema: JsonSchema };
  readonly 'text/event-stream': { readonly schema: JsonSchema };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a session token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
};

const REQUEST_ID = {
  description: 'The id of the request: that of its own x-request-id where usable, else one made by the service.',
  schema: { type: 'string' },
};

/** The OpenAPI document of these routes: read from their documents and the schema, so that it cannot drift. */
export function openApiDocument(schema: GraphQLSchema, routes: readonly Route[], version: string): OpenApiDocument {
  const components = new Components();
  components.refer('Error', ERROR_SCHEMA, () => ERROR_SCHEMA);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(schema, route, components) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Parley', version, description: 'A conversational agent service.' },
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.byName(),
      responses: errorResponses(),
      headers: { RequestId: REQUEST_ID },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** A session goes as a bearer token alone. */
function securityOf(access: Access): object[] {
  if (Object.keys(access).length === 0) return [];
  // Nobody has to be known where the deployment says so.
  if (access.runner) return [{ bearer: [] }, { apiKey: [] }, {}];
  return access.session || access.administrator ? [{ bearer: [] }] : [{ bearer: [] }, { apiKey: [] }];
}

/** The file that the document stands in. */
function tagOf({ operation }: Route): string {
  return basename(operation.loc?.source.name ?? '', '.graphql');
}

function operationOf(schema: GraphQLSchema, route: Route, components: Components): Operation {
  const { operation, field, access } = route;
  return {
    operationId: route.name,
    ...words(operation.description?.value ?? field.description),
    tags: [tagOf(route)],
    security: securityOf(access),
    ...(access.scope && { 'x-required-scope': access.scope }),
    ...requestOf(schema, route, components),
    responses: { ...successOf(schema, route, components), ...errorAnswers(route) },
  };
}

/** The first sentence, and what follows it. */
function words(text: string | null | undefined): { summary?: string; description?: string } {
  if (!text) return {};
  const [, first = text, rest] = /^(.+?)\.(?:\s+([A-Z`].*))?$/s.exec(text) ?? [];
  return { summary: first, ...(rest && { description: rest }) };
}

function successOf(schema: GraphQLSchema, route: Route, components: Components): Operation['responses'] {
  const { status } = route.directive;
  const content = status === 204 ? undefined : contentOf(schema, route, components);
  const sent = answerHeaders(schema, route, components);
  const headers = { ...REQUEST_ID_HEADER, ...sent };
  const success = status === 204 ? 'Done.' : (getNamedType(route.field.type).description ?? 'Done.');
  return {
    [String(status)]: { description: success, headers, ...(content && { content }) },
    ...(isConditional(route, sent) && { 304: { description: 'The client has it as it is.', headers } }),
  };
}

function contentOf(schema: GraphQLSchema, route: Route, components: Components): JsonContent | StreamContent {
  const answer = answerSchema(schema, route, components);
  if (route.operation.operation !== OperationTypeNode.SUBSCRIPTION) return { 'application/json': { schema: answer } };
  const events = { type: 'string', description: 'Server-sent events: the name of each in `event`, its data as JSON.' };
  return {
    'text/plain': { schema: { type: 'string', description: 'The reply alone, in chunks.' } },
    'text/event-stream': { schema: { ...events, contentMediaType: 'application/json', contentSchema: answer } },
  };
}
