import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { ENVIRONMENT_KINDS } from '../contract/statuses.ts';
import { headerOf } from './documents.ts';
import { type Components, type JsonSchema, leafSchema } from './openapi-types.ts';
import type { Route } from './route.ts';

/** A header of an answer. */
export interface HeaderObject {
  readonly description?: string;
  /** Whether it is there always. */
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** The headers that a route sends fields as. */
export function answerHeaders(
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

/** @throws {Error} where a field has no text that a header could hold */
function headerOfField(field: GraphQLField<unknown, unknown>, components: Components): HeaderObject {
  const type = getNamedType(field.type);
  if (!isLeafType(type)) throw new Error(`@header takes a field with one value, not ${field.name}.`);
  return {
    ...(field.description && { description: field.description }),
    required: true,
    schema: leafSchema(type, components),
  };
}

/** Whether a read can be answered with 304: where its answer has an ETag. */
export function isConditional({ method }: Route, headers: object): boolean {
  return method === 'get' && 'ETag' in headers;
}

/** What makes a POST safe to send again (WIRE 11). */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Of your own making: under it the first answer is kept for 24 hours, and given again with `Idempotency-Replayed: true`; another body under it is refused.',
  required: false,
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
} as const;

/** What makes a read conditional. */
export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Entity tags in their quotes, or *: 304 where the answer would be one of these.',
  required: false,
  schema: { type: 'string' },
} as const;

/** What says in which environment a session acts (WIRE 4). */
export const ENVIRONMENT = {
  name: 'x-environment',
  in: 'header',
  description: 'The environment that a session acts in. A key has its own, and what stands here means nothing to it.',
  required: false,
  schema: { type: 'string', enum: ENVIRONMENT_KINDS, default: 'live' },
} as const;

/** Says that an answer is the first one of its Idempotency-Key, told again. */
export const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description: 'On an answer that was kept under the Idempotency-Key; on kept errors too.',
    schema: { type: 'string', const: 'true' },
  },
} as const;

const counted = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** What a request that is counted under a limit is told of it (WIRE 14). */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': counted('Requests of one period. Only where the request was counted under a limit.'),
  'RateLimit-Remaining': counted('Requests that are left of this period.'),
  'RateLimit-Reset': counted('Seconds until the period ends.'),
} as const;
