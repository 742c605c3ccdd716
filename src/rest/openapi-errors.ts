import { ERROR_CODES, type ErrorCode } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import type { JsonSchema } from './json-schema.ts';
import { codesByStatus } from './openapi-error-codes.ts';
import { errorExamples } from './openapi-error-examples.ts';
import { type HeaderObject, RATE_LIMIT_HEADERS } from './openapi-headers.ts';
import type { Route } from './route.ts';

/** Headers of every response. */
export const REQUEST_ID_HEADER = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before a retry.', required: true, schema: { type: 'integer' } },
};

interface ErrorResponse {
  readonly name: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
}

const ERROR_RESPONSES: Readonly<Record<number, ErrorResponse>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is invalid. `param` names the invalid field, if there is one.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The credentials are missing, malformed, unknown, rotated, revoked or expired.',
    headers: {
      'WWW-Authenticate': {
        description: '`Bearer`, with `resource_metadata`: the document that says how apps of members get a token.',
        required: true,
        schema: { type: 'string' },
      },
    },
  },
  402: {
    name: 'BudgetReached',
    description: 'The next model step could cost more than a budget has left, so the model was not asked.',
  },
  403: {
    name: 'Forbidden',
    description:
      'The credentials, or the page that sends them, do not allow this request. If a scope is missing, the error has `required_scope`.',
  },
  404: {
    name: 'NotFound',
    description: 'The ID does not exist in the workspace and environment of the credentials.',
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path does not accept this method.',
    headers: { Allow: { description: 'The accepted methods.', required: true, schema: { type: 'string' } } },
  },
  409: {
    name: 'Conflict',
    description: 'The current state does not allow this request. Read it again.',
  },
  410: { name: 'Gone', description: 'The trigger in the request has expired.' },
  412: {
    name: 'PreconditionFailed',
    description: 'The resource has changed: If-Match does not match. Read it again.',
  },
  413: {
    name: 'PayloadTooLarge',
    description: `The body exceeds ${formatBytes(LIMITS.bodyBytes)}, or ${formatBytes(LIMITS.runnerBodyBytes)} on runner paths. Without a valid credential: a compressed body inflates to more than ${formatBytes(LIMITS.strangerInflatedBytes)}.`,
  },
  415: { name: 'UnsupportedMediaType', description: 'The body is not JSON in UTF-8.' },
  429: {
    name: 'RateLimited',
    description: 'The request exceeds a rate limit.',
    headers: { ...RETRY_AFTER, ...RATE_LIMIT_HEADERS },
  },
  500: { name: 'InternalError', description: 'An internal error. Report its `request_id`.' },
  502: {
    name: 'ModelError',
    description: 'The model failed. The error has `conversation_id` and `run_id`, if they exist.',
  },
  503: {
    name: 'Unavailable',
    description: 'The service is shutting down, or the database is unreachable.',
    headers: RETRY_AFTER,
  },
  504: {
    name: 'ModelTimeout',
    description: 'The model exceeded its time limit. The error has the same fields as 502.',
  },
  507: { name: 'InsufficientStorage', description: 'The file storage of the service is full. Everything else works.' },
};

/** The error responses of a route, by status. A status with one common code is a shared component. */
export function errorResponses(route: Route): Record<string, object> {
  return Object.fromEntries(
    [...codesByStatus(route)].map(([status, codes]) => [
      status,
      isShared(status, codes)
        ? { $ref: `#/components/responses/${describedAs(status).name}` }
        : responseOf(status, codes),
    ]),
  );
}

/** The components that the {@link errorResponses} of these routes refer to. */
export function errorComponents(routes: readonly Route[]): Record<string, object> {
  const used = new Set(
    routes.flatMap((route) =>
      [...codesByStatus(route)].filter((entry) => isShared(...entry)).map(([status]) => status),
    ),
  );
  return Object.fromEntries(
    Object.keys(ERROR_RESPONSES)
      .map(Number)
      .filter((status) => used.has(status))
      .map((status) => [describedAs(status).name, responseOf(status, commonCodesOf(status))]),
  );
}

function responseOf(status: number, codes: readonly ErrorCode[]): object {
  const { description, headers } = describedAs(status);
  return {
    description: `${description} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: { ...REQUEST_ID_HEADER, ...headers },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: errorExamples(codes) } },
  };
}

function describedAs(status: number): ErrorResponse {
  const response = ERROR_RESPONSES[status];
  if (!response) throw new Error(`The status ${status} has no description. Add one to ERROR_RESPONSES.`);
  return response;
}

/** Codes that few routes have next to the common one of their status. */
const RARE: ReadonlySet<ErrorCode> = new Set(['file_content_missing']);

const isShared = (status: number, codes: readonly ErrorCode[]) =>
  commonCodesOf(status).length === 1 && !codes.some((code) => RARE.has(code));

function commonCodesOf(status: number): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter(
    (code) => ERROR_CODES[code].status === status && !RARE.has(code),
  );
}

/** The body of every error. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'The body of every error response.',
  properties: {
    error: {
      type: 'object',
      properties: {
        type: {
          type: 'string',
          enum: [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))],
          description: 'The category of the code.',
        },
        code: { type: 'string', enum: Object.keys(ERROR_CODES), description: 'A stable code. Base decisions on it.' },
        message: { type: 'string', description: 'For people: the problem and how to solve it.' },
        param: {
          type: ['string', 'null'],
          description: 'The invalid field, for example content[0].text. Null: no single field is invalid.',
        },
      },
      required: ['type', 'code', 'message', 'param'],
      // Some codes add further fields.
      additionalProperties: true,
    },
    request_id: { type: 'string', description: 'The x-request-id of this response, for support requests.' },
  },
  required: ['error', 'request_id'],
};
