import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LIMITS } from '../contract/limits.ts';
import { ENVIRONMENT_KINDS } from '../contract/statuses.ts';
import { headerOf } from './documents.ts';
import type { JsonSchema } from './json-schema.ts';
import { type Components, leafSchema } from './openapi-types.ts';
import type { Route } from './route.ts';

/** A response header. */
export interface HeaderObject {
  readonly description?: string;
  /** Whether every response has it. */
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** The entity tag that the service computes from the body of a published query. */
const BODY_TAG: HeaderObject = {
  description: 'The version of the response, for If-None-Match.',
  required: true,
  schema: { type: 'string' },
};

/** The response headers that depend on the result of a route's document. */
export function responseHeaders(
  schema: GraphQLSchema,
  route: Route,
  components: Components,
): Record<string, HeaderObject> {
  const selected = selectedHeaders(schema, route, components);
  if (!route.published) return selected;
  if (route.method === 'get') return { ...selected, ETag: BODY_TAG };
  // A published document can select the field below one that is null.
  return Object.fromEntries(Object.entries(selected).map(([name, header]) => [name, { ...header, required: false }]));
}

/** The response headers that a route's document selects. */
export function selectedHeaders(
  schema: GraphQLSchema,
  { document }: Route,
  components: Components,
): Record<string, HeaderObject> {
  const headers: Record<string, HeaderObject> = {};
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    Field(node) {
      const name = headerOf(node);
      const field = types.getFieldDef();
      if (name !== undefined && field) headers[name] = headerOfField(field, components);
    },
  });
  visit(document, visitor);
  return headers;
}

/** @throws {Error} if the field does not have a single value */
function headerOfField(field: GraphQLField<unknown, unknown>, components: Components): HeaderObject {
  const type = getNamedType(field.type);
  if (!isLeafType(type)) throw new Error(`@header needs a field with one value. ${field.name} has several.`);
  return {
    ...(field.description && { description: field.description }),
    required: true,
    schema: leafSchema(type, components),
  };
}

/** The headers that `links.ts` adds to successful responses. */
export function linkHeaderObjects({ method, directive, parameters }: Route): Record<string, HeaderObject> {
  const text = (description: string, required: boolean) => ({ description, required, schema: { type: 'string' } });
  const isPaged = method === 'get' && parameters.some(({ name }) => name === 'page' || name === 'cursor');
  const pages = 'The next and previous page with the same filters: `rel="next"` and `rel="prev"` (RFC 8288).';
  return {
    ...(directive.location && { Location: text('The path of the created object.', true) }),
    ...(isPaged && { Link: text(pages, false) }),
  };
}

/** Whether a route supports If-None-Match: its response has an ETag. */
export function isConditional({ method }: Route, headers: object): boolean {
  return method === 'get' && 'ETag' in headers;
}

/** Makes retries of a POST safe. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `A key of your choice for safe retries. The service stores the first response for ${LIMITS.idempotencyHours} hours. It replays the response to requests with the same key and body, with \`Idempotency-Replayed: true\`. Another body with the same key is an error.`,
  required: false,
  schema: { type: 'string', pattern: `^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyLength}}$` },
} as const;

/** Makes a read conditional. */
export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Quoted entity tags, or *. The response is 304 if the current version is among them.',
  required: false,
  schema: { type: 'string' },
} as const;

/** Selects the environment of a session. */
export const ENVIRONMENT = {
  name: 'x-environment',
  in: 'header',
  description: 'The environment of a session. API keys ignore it: they have their own environment.',
  required: false,
  schema: { type: 'string', enum: ENVIRONMENT_KINDS, default: 'live' },
} as const;

/** The headers of a turn that runs in the background. */
export const ACCEPTED_HEADERS = {
  Location: { description: 'The path of the feed.', required: true, schema: { type: 'string' } },
  'Preference-Applied': { required: true, schema: { type: 'string', const: 'respond-async' } },
} as const;

/** Marks a response that was replayed for its Idempotency-Key. */
export const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description: 'The response was replayed for the Idempotency-Key. Errors can be replayed too.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** The rate limit of a request and its remaining quota. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': count('The limit: requests per period. Only if a rate limit applies to the request.'),
  'RateLimit-Remaining': count('Remaining requests in this period.'),
  'RateLimit-Reset': count('Seconds until the period ends.'),
} as const;
