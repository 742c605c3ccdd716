import { ERROR_CODES } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { type HeaderObject, RATE_LIMIT_HEADERS } from './openapi-headers.ts';
import type { JsonSchema } from './openapi-types.ts';
import type { Route } from './route.ts';

/** Headers that each answer carries. */
export const REQUEST_ID_HEADER = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds after which to try again.', required: true, schema: { type: 'integer' } },
};

interface ErrorAnswer {
  readonly name: string;
  readonly says: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly appliesTo: (route: Route) => boolean;
}

const always = () => true;
const hasBody = ({ body }: Route) => body !== undefined;
/** Running turns is what this scope is for, and turns alone call a model. */
const callsModel = ({ access }: Route) => access.scope === 'conversations:write';

const ERROR_ANSWERS: Readonly<Record<number, ErrorAnswer>> = {
  400: { name: 'BadRequest', says: '`param` names the field to mend, where one is to blame.', appliesTo: always },
  401: {
    name: 'Unauthorized',
    says: 'The credentials are missing, malformed, unknown, rotated, revoked or expired.',
    headers: { 'WWW-Authenticate': { description: 'Always `Bearer`.', required: true, schema: { type: 'string' } } },
    appliesTo: always,
  },
  403: {
    name: 'Forbidden',
    says: 'The credentials, or the page that sends them, do not allow this. `required_scope` stands beside `message` where a scope is missing.',
    appliesTo: always,
  },
  404: {
    name: 'NotFound',
    says: 'There is nothing with this id in the workspace and environment of the credentials.',
    appliesTo: ({ path }) => path.includes('{'),
  },
  405: {
    name: 'MethodNotAllowed',
    says: 'The path takes other methods only.',
    headers: { Allow: { description: 'The methods that it takes.', required: true, schema: { type: 'string' } } },
    appliesTo: always,
  },
  409: {
    name: 'Conflict',
    says: 'The state does not allow this now. Read it again.',
    appliesTo: ({ method }) => method === 'post',
  },
  410: { name: 'Gone', says: 'The trigger that the request names has expired.', appliesTo: callsModel },
  412: {
    name: 'PreconditionFailed',
    says: 'If-Match names no tag that the resource has now. Read it again.',
    appliesTo: ({ parameters }) => parameters.some(({ name }) => name === 'If-Match'),
  },
  413: {
    name: 'PayloadTooLarge',
    says: `The body is larger than ${LIMITS.bodyBytes / 2 ** 20} MiB.`,
    appliesTo: hasBody,
  },
  415: { name: 'UnsupportedMediaType', says: 'The body is not JSON in UTF-8.', appliesTo: hasBody },
  429: {
    name: 'RateLimited',
    says: 'These were too many requests.',
    headers: { ...RETRY_AFTER, ...RATE_LIMIT_HEADERS },
    appliesTo: always,
  },
  500: { name: 'InternalError', says: 'A fault of the service. Report `request_id`.', appliesTo: always },
  502: {
    name: 'ModelError',
    says: 'The model failed. `conversation_id` and `run_id` stand beside `message` where they exist.',
    appliesTo: callsModel,
  },
  503: {
    name: 'Unavailable',
    says: 'The service is shutting down, or its database cannot be reached.',
    headers: RETRY_AFTER,
    appliesTo: always,
  },
  504: { name: 'ModelTimeout', says: 'The model took too long. Otherwise as 502.', appliesTo: callsModel },
};

/** The error answers of a route, by status. */
export function errorAnswers(route: Route): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(
    Object.entries(ERROR_ANSWERS)
      .filter(([, { appliesTo }]) => appliesTo(route))
      .map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

/** What {@link errorAnswers} refers to. */
export function errorResponses(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(ERROR_ANSWERS).map(([status, { name, says, headers }]) => [
      name,
      {
        description: `${says} Codes: ${codesOf(Number(status)).join(', ')}.`,
        headers: { ...REQUEST_ID_HEADER, ...headers },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function codesOf(status: number): string[] {
  return Object.entries(ERROR_CODES).flatMap(([code, entry]) => (entry.status === status ? [`\`${code}\``] : []));
}

/** The error body of WIRE 3. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Any answer that is not a success.',
  properties: {
    error: {
      type: 'object',
      properties: {
        type: {
          type: 'string',
          enum: [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))],
          description: 'The family of the code.',
        },
        code: { type: 'string', enum: Object.keys(ERROR_CODES), description: 'Stable: decide by this one.' },
        message: { type: 'string', description: 'For people: what is wrong and what to do.' },
        param: { type: ['string', 'null'], description: 'The field to blame, like content[0].text; else null.' },
      },
      required: ['type', 'code', 'message', 'param'],
      // Some codes add facts beside the message.
      additionalProperties: true,
    },
    request_id: { type: 'string', description: 'What to name in a report: the x-request-id of this answer.' },
  },
  required: ['error', 'request_id'],
};
