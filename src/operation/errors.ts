import { PothosError } from '@pothos/core';
import { GraphQLError, Kind } from 'graphql';
import {
  ERROR_CODES,
  type ErrorCode,
  type FieldPath,
  formatPath,
  ServiceError,
  UNAVAILABLE_MS,
} from '../contract/errors.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Log } from '../domain/telemetry.ts';

/** An error as clients receive it. REST writes it as a body, GraphQL as `extensions`. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Further fields of the error: `call_ids`, `run_id`, … */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Only GraphQL writes it next to the error. REST bodies have it next to `error`. */
  readonly requestId?: string;
  /** GraphQL writes it, and every transport has the header Retry-After. */
  readonly retryAfterMs?: number;
}

/** How a transport names the fields of its input. */
export type NameField = (path: FieldPath) => string;

/** The request that an error belongs to. */
export interface ErrorContext {
  readonly log: Log;
  readonly requestId: string;
  readonly nameField?: NameField | undefined;
}

/** The error that a client receives. Errors other than ServiceError are logged once and masked. */
export function wireError(error: unknown, { log, requestId, nameField = formatPath }: ErrorContext): WireError {
  const cause = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  const expected = cause instanceof ServiceError ? cause : invalidNodeId(error, cause);
  if (expected) return { ...fromServiceError(expected, nameField), ...ofRequest(requestId) };
  // graphql-js's own errors are about the caller's document.
  if (error instanceof GraphQLError && cause === error) return documentError(error);
  if (isUnavailable(cause)) {
    log.error({ err: cause, request_id: requestId }, 'the database is unreachable');
    const message = 'The service is temporarily unavailable. Try again shortly.';
    return { ...fromServiceError(new ServiceError('unavailable', message), nameField), ...ofRequest(requestId) };
  }
  log.error({ err: cause, request_id: requestId }, 'unexpected error');
  return { ...fromServiceError(new ServiceError('internal_error', INTERNAL), nameField), ...ofRequest(requestId) };
}

/** Errors before the pipeline do not know their request. */
function ofRequest(requestId: string): Pick<WireError, 'requestId'> {
  return requestId === '' ? {} : { requestId };
}

/** The HTTP status and headers of an error from graphql-js or Yoga. */
export interface HttpExtensions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Use the status only for `application/graphql-response+json`. Clients that accept only JSON get 200. */
  readonly spec?: boolean;
}

const CODES_BY_STATUS = new Map<number | undefined, ErrorCode>([
  [405, 'method_not_allowed'],
  [413, 'payload_too_large'],
  [415, 'unsupported_media_type'],
]);

/** An error from parsing or validating a document, including errors that scalars throw for literals. */
export function documentError(error: GraphQLError): WireError {
  const { status } = (error.extensions.http as HttpExtensions | undefined) ?? {};
  const code = CODES_BY_STATUS.get(status) ?? 'invalid_request';
  return fromServiceError(new ServiceError(code, error.message), formatPath);
}

/** The error of Pothos if an argument of `node` or `nodes` is not a global ID. */
function invalidNodeId(error: unknown, cause: unknown): ServiceError | undefined {
  const at = error instanceof GraphQLError ? error.nodes?.[0] : undefined;
  const field = at?.kind === Kind.FIELD ? at.name.value : undefined;
  if (field !== 'node' && field !== 'nodes') return undefined;
  if (!(cause instanceof PothosError)) return undefined;
  const param = [field === 'node' ? 'id' : 'ids'];
  return new ServiceError('invalid_request', '{param} must be the `id` of a node.', { param });
}

const INTERNAL = 'An internal error occurred. Try again. If it happens again, report the request ID.';

function fromServiceError({ code, message, details }: ServiceError, nameField: NameField): WireError {
  const param = nameOf(details.param, nameField);
  const { facts = {}, retryAfterMs = code === 'unavailable' ? UNAVAILABLE_MS : undefined } = details;
  const wire = { ...ERROR_CODES[code], code, message: withName(message, param), param, facts };
  return retryAfterMs === undefined ? wire : { ...wire, retryAfterMs };
}

function nameOf(path: FieldPath | undefined, nameField: NameField): string | null {
  return path && path.length > 0 ? nameField(path) : null;
}

function withName(message: string, param: string | null): string {
  return message.replaceAll('{param}', () => param ?? 'The request');
}

/** A message of an error with the GraphQL name of its field. */
export function graphqlMessage(message: string, path: FieldPath | undefined): string {
  return withName(message, nameOf(path, formatPath));
}

/** The error for GraphQL's `errors`. */
export function graphqlError({ message, facts, ...extensions }: WireError, original?: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: original?.nodes ?? null,
    source: original?.source ?? null,
    positions: original?.positions ?? null,
    path: original?.path ?? null,
    extensions: { ...extensions, ...facts },
  });
}

/** Whether a later attempt can succeed. */
export function isTemporary(error: Pick<GraphQLError, 'message' | 'extensions'>): boolean {
  const { status } = wireErrorOf(error);
  return status >= 500 || status === ERROR_CODES.rate_limited.status;
}

/** The error that {@link graphqlError} was made from. */
export function wireErrorOf({ message, extensions }: Pick<GraphQLError, 'message' | 'extensions'>): WireError {
  const { status, type, code, param, retryAfterMs, requestId: _id, ...facts } = extensions as unknown as WireError;
  const wire = { status, type, code, message, param, facts };
  return retryAfterMs === undefined ? wire : { ...wire, retryAfterMs };
}
