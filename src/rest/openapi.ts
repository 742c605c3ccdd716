import { basename } from 'node:path';
import { type GraphQLSchema, getNamedType, OperationTypeNode } from 'graphql';
import type { Access } from '../graphql/field-scope.ts';
import { answerSchema } from './openapi-answers.ts';
import { ERROR_SCHEMA, errorAnswers, errorResponses, REQUEST_ID_HEADER } from './openapi-errors.ts';
import { answerHeaders, isConditional, RATE_LIMIT_HEADERS, REPLAYED_HEADER } from './openapi-headers.ts';
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
  readonly content?: Partial<JsonContent & StreamContent & LinesContent>;
}

/** A reply that is read as it is made. */
interface StreamContent {
  readonly 'text/plain': { readonly schema: JsonSchema };
  readonly 'text/event-stream': { readonly schema: JsonSchema };
}

/** Lines of JSON. */
interface LinesContent {
  readonly 'application/x-ndjson': { readonly schema: JsonSchema };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a session token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description:
      "The session of this service's own pages; under https it is called `__Host-parley_session`. With it, a change must say by `Sec-Fetch-Site` or `Origin` that it comes from one of them.",
  },
};

const ABOUT = `A conversational agent service.

Send an API key as \`Authorization: Bearer\` or \`x-api-key\`; it acts in the environment that it was made in. Bodies are
JSON. Every error has the form of the schema \`Error\`: decide by its \`code\`. Fields and query parameters that are not
known are ignored; answers may get more fields.`;

const REQUEST_ID = {
  description: 'The id of the request: that of its own x-request-id where usable, else one made by the service.',
  required: true,
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
    info: { title: 'Parley', version, description: ABOUT },
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

/** A session goes as a bearer token or in its cookie. */
function securityOf(access: Access): object[] {
  if (Object.keys(access).length === 0) return [];
  // Nobody has to be known where the deployment says so.
  if (access.runner) return [{ bearer: [] }, { apiKey: [] }, { session: [] }, {}];
  const ofSession = [{ bearer: [] }, { session: [] }];
  return access.session || access.administrator ? ofSession : [...ofSession, { apiKey: [] }];
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
    ...(access.scopes && { 'x-required-scopes': access.scopes }),
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
  const headers = {
    ...REQUEST_ID_HEADER,
    ...sent,
    ...(route.method === 'post' && REPLAYED_HEADER),
    ...RATE_LIMIT_HEADERS,
  };
  const success = status === 204 ? 'Done.' : (getNamedType(route.field.type).description ?? 'Done.');
  return {
    [String(status)]: { description: success, headers, ...(content && { content }) },
    ...(isConditional(route, sent) && { 304: { description: 'The client has it as it is.', headers } }),
  };
}

function contentOf(
  schema: GraphQLSchema,
  route: Route,
  components: Components,
): JsonContent | StreamContent | LinesContent {
  const answer = answerSchema(schema, route, components);
  if (route.operation.operation !== OperationTypeNode.SUBSCRIPTION) return { 'application/json': { schema: answer } };
  if (route.directive.lines) {
    const lines = { type: 'string', description: 'A JSON object in each line.' };
    return { 'application/x-ndjson': { schema: { ...lines, contentSchema: answer } } };
  }
  const events = { type: 'string', description: 'Server-sent events: the name of each in `event`, its data as JSON.' };
  return {
    'text/plain': { schema: { type: 'string', description: 'The reply alone, in chunks.' } },
    'text/event-stream': { schema: { ...events, contentMediaType: 'application/json', contentSchema: answer } },
  };
}
