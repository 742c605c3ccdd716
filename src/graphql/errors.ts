import { PothosError } from '@pothos/core';
import { GraphQLError, Kind } from 'graphql';
import { ERROR_CODES, type ErrorCode, type FieldPath, formatPath, ServiceError } from '../contract/errors.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { unauthorized } from '../domain/access/authenticate.ts';
import type { Log } from '../domain/context.ts';

/** An error as both doors tell it; REST writes it as a body, GraphQL as `extensions`. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** What stands beside `message`: `call_ids`, `run_id`, … */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** How a door names the fields of its input. */
export type NameField = (path: FieldPath) => string;

/** What an error is told with. */
export interface ErrorContext {
  readonly log: Log;
  readonly requestId: string;
  readonly nameField?: NameField;
  /** False where the request has no credentials. */
  readonly isKnown?: boolean;
}

/**
 * What a client is told of a fault. Anything the service did not throw on purpose is logged, once, and masked.
 */
export function wireError(error: unknown, facts: ErrorContext): WireError {
  const cause = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  const known = cause instanceof ServiceError ? cause : faultOfNodeId(error, cause, facts.isKnown ?? true);
  if (known) return fromServiceError(known, facts.nameField ?? formatPath);
  // graphql-js's own errors speak of the caller's document, and of nothing else.
  if (error instanceof GraphQLError && cause === error) {
    return fromServiceError(new ServiceError(codeOf(error), error.message), formatPath);
  }
  if (isUnavailable(cause)) {
    facts.log.error({ err: cause, request_id: facts.requestId }, 'the database cannot be reached');
    return fromServiceError(
      new ServiceError('unavailable', 'The service is not available. Try again shortly.'),
      formatPath,
    );
  }
  facts.log.error({ err: cause, request_id: facts.requestId }, 'an unexpected fault');
  return fromServiceError(new ServiceError('internal_error', INTERNAL), formatPath);
}

/** What HTTP calls an error that graphql-js or its server throws of a request. */
export interface HttpExtensions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status is that of `application/graphql-response+json`; 200 where JSON alone is read. */
  readonly spec?: boolean;
}

const CODES_BY_STATUS = new Map<number | undefined, ErrorCode>([
  [405, 'method_not_allowed'],
  [413, 'payload_too_large'],
  [415, 'unsupported_media_type'],
]);

function codeOf({ extensions }: GraphQLError): ErrorCode {
  return CODES_BY_STATUS.get((extensions.http as HttpExtensions | undefined)?.status) ?? 'invalid_request';
}

const NOT_A_NODE = /^Invalid global ID|does not support loading by id$|has not been implemented$/;

/**
 * What the libraries behind `node` and `nodes` throw where an id is not one of a node's. They read it before anything
 * asks for credentials.
 */
function faultOfNodeId(error: unknown, cause: unknown, isKnown: boolean): ServiceError | undefined {
  const at = error instanceof GraphQLError ? error.nodes?.[0] : undefined;
  const field = at?.kind === Kind.FIELD ? at.name.value : undefined;
  if (field !== 'node' && field !== 'nodes') return undefined;
  if (!(cause instanceof PothosError && NOT_A_NODE.test(cause.message))) return undefined;
  if (!isKnown) return unauthorized();
  const param = [field === 'node' ? 'id' : 'ids'];
  return new ServiceError('invalid_request', '{param} is not the id of a node.', { param });
}

const INTERNAL = 'Something went wrong on our side. Try again; if it goes on, report the request id.';

function fromServiceError({ code, message, details }: ServiceError, nameField: NameField): WireError {
  const param = details.param && details.param.length > 0 ? nameField(details.param) : null;
  return {
    ...ERROR_CODES[code],
    code,
    message: message.replaceAll('{param}', () => param ?? 'The request'),
    param,
    facts: details.facts ?? {},
  };
}

/** The same error for GraphQL's `errors`. */
export function graphqlError({ message, facts, ...extensions }: WireError, original?: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: original?.nodes ?? null,
    source: original?.source ?? null,
    positions: original?.positions ?? null,
    path: original?.path ?? null,
    extensions: { ...extensions, ...facts },
  });
}
