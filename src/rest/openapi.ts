import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Access } from '../operation/access.ts';
import type { JsonSchema } from './json-schema.ts';
import { codesByStatus } from './openapi-error-codes.ts';
import { errorExampleComponents } from './openapi-error-examples.ts';
import { ERROR_SCHEMA, errorComponents, errorResponses, REQUEST_ID_HEADER } from './openapi-errors.ts';
import {
  ACCEPTED_HEADERS,
  isConditional,
  linkHeaderObjects,
  RATE_LIMIT_HEADERS,
  REPLAYED_HEADER,
  responseHeaders,
} from './openapi-headers.ts';
import {
  DOCUMENTS_TAG,
  infoOf,
  REQUEST_ID_OBJECT,
  SECURITY_SCHEMES,
  type Tag,
  tagOf,
  tagsOf,
  WEBHOOKS_TAG,
} from './openapi-info.ts';
import { type JsonContent, type ParameterObject, requestOf } from './openapi-requests.ts';
import { acceptedExample, responseExamples } from './openapi-response-examples.ts';
import { acceptedSchema, responseSchema, successDescription } from './openapi-responses.ts';
import { type LinesContent, type StreamContent, streamContent, streamHeaders } from './openapi-streams.ts';
import { Components } from './openapi-types.ts';
import { webhooks } from './openapi-webhooks.ts';
import { type Route, takesKey } from './route.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The requests that the service sends, by name. */
  readonly webhooks: Readonly<Record<string, { readonly post: object }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, object>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: JsonContent };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly [key: string]: unknown;
}

/** A response, or a reference to one. */
interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Partial<JsonContent & StreamContent & LinesContent>;
}

/** The version of the service, and the URL that its clients use. */
interface About {
  readonly version: string;
  /** Default: the host that serves the document. */
  readonly url?: string;
}

/** The OpenAPI document of the routes. It is computed from their GraphQL documents and the schema, so it cannot drift. */
export function openApiDocument(
  schema: GraphQLSchema,
  routes: readonly Route[],
  { version, url = '/' }: About,
): OpenApiDocument {
  const components = new Components();
  components.refer('Error', ERROR_SCHEMA, () => ERROR_SCHEMA);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(schema, route, components) };
  }
  const { schemas: _, ...shared } = sharedComponents(routes);
  return {
    ...openApiHead(version, url),
    tags: [...tagsOf(routes), WEBHOOKS_TAG],
    paths,
    webhooks: webhooks(),
    components: { schemas: components.byName(), ...shared },
  };
}

/** The part of a document that does not depend on its routes. */
export function openApiHead(version: string, url: string) {
  return {
    openapi: '3.1.1',
    info: infoOf(version),
    servers: [{ url, description: 'The service that serves this document.' }],
  };
}

/** What the error responses and headers of the routes refer to. */
export function sharedComponents(routes: readonly Route[]) {
  return {
    schemas: { Error: ERROR_SCHEMA },
    responses: errorComponents(routes),
    examples: errorExampleComponents(new Set(routes.flatMap((route) => [...codesByStatus(route).values()].flat()))),
    headers: { RequestId: REQUEST_ID_OBJECT },
    securitySchemes: SECURITY_SCHEMES,
  };
}

/** A session is a bearer token or a cookie. */
function securityOf(access: Access): object[] {
  if (Object.keys(access).length === 0) return [];
  // A deployment can allow callers without credentials.
  if (access.runner) return [{ bearer: [] }, { apiKey: [] }, { session: [] }, {}];
  const ofSession = [{ bearer: [] }, { session: [] }];
  return access.session || access.administrator ? ofSession : [...ofSession, { apiKey: [] }];
}

export function operationOf(schema: GraphQLSchema, route: Route, components: Components): Operation {
  const { operation, field, access } = route;
  return {
    operationId: route.name,
    ...summaryOf(operation.description?.value ?? field.description),
    tags: [route.published ? DOCUMENTS_TAG.name : tagOf(route).name],
    security: securityOf(access),
    ...(access.scope && { 'x-required-scope': access.scope }),
    ...(access.scopes && { 'x-required-scopes': access.scopes }),
    ...requestOf(schema, route, components),
    responses: { ...successOf(schema, route, components), ...errorResponses(route) },
  };
}

/** The first sentence is the summary, the rest the description. */
function summaryOf(text: string | null | undefined): { summary?: string; description?: string } {
  if (!text) return {};
  const [, first = text, rest] = /^(.+?)\.(?:\s+([A-Z`].*))?$/s.exec(text) ?? [];
  return { summary: first, ...(rest && { description: rest }) };
}

function successOf(schema: GraphQLSchema, route: Route, components: Components): Operation['responses'] {
  const { status } = route.directive;
  const content = status === 204 ? undefined : contentOf(schema, route, components);
  const selected = responseHeaders(schema, route, components);
  const headers = {
    ...REQUEST_ID_HEADER,
    ...selected,
    ...linkHeaderObjects(route),
    ...streamHeaders(schema, route, components),
    ...(takesKey(route) && REPLAYED_HEADER),
    ...RATE_LIMIT_HEADERS,
  };
  const success = status === 204 ? 'Done.' : (successDescription(schema, route) ?? 'Done.');
  return {
    [String(status)]: { description: success, headers, ...(content && { content }) },
    ...(route.directive.accepted && {
      202: {
        description: 'The turn was accepted, and the client did not want to wait. `Location` is its feed.',
        headers: { ...headers, ...ACCEPTED_HEADERS },
        content: {
          'application/json': { schema: acceptedSchema(schema, route, components), ...acceptedExample() },
        },
      },
    }),
    ...(isConditional(route, selected) && {
      304: { description: 'The client already has the current version.', headers },
    }),
  };
}

function contentOf(
  schema: GraphQLSchema,
  route: Route,
  components: Components,
): NonNullable<ResponseObject['content']> {
  if (route.operation.operation === OperationTypeNode.SUBSCRIPTION) return streamContent(schema, route, components);
  return { 'application/json': { schema: responseSchema(schema, route, components), ...responseExamples(route) } };
}
