import { GraphQLError } from 'graphql';
import { ERROR_CODES, ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { type ErrorContext, graphqlError, type HttpExtensions, type WireError, wireError } from './errors.ts';

/** What HTTP is told beside an error, which is no part of the error itself. */
export function tellHttp(error: GraphQLError, http: HttpExtensions): GraphQLError {
  Object.defineProperty(error.extensions, 'http', { value: http, configurable: true });
  return error;
}

const HEADERS_OF: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  503: { 'Retry-After': '2' },
};

/** What HTTP is told beside the status of an error, by either door: how to say who asks, or in how many seconds to ask again. */
export function headersOfStatus(status: number): Readonly<Record<string, string>> {
  return HEADERS_OF[status] ?? {};
}

/** HTTP's own status, beside the one in `extensions`. */
export function withStatus(error: GraphQLError, status: number): GraphQLError {
  return tellHttp(error, { status, headers: headersOfStatus(status) });
}

/** What a client is told of any error of an execution. */
export function mask(error: unknown, { log }: Pick<Services, 'log'>, about: Omit<ErrorContext, 'log'>): GraphQLError {
  const known = error instanceof GraphQLError ? error : undefined;
  // Already told in this service's words.
  const isTold = Object.hasOwn(ERROR_CODES, String(known?.extensions.code));
  if (known && isTold && !(known.originalError instanceof ServiceError)) return known;
  return told(wireError(error, { log, ...about }), known);
}

/** Missing credentials are HTTP's business too; any other error is told in an answer that HTTP calls well. */
export function told(wire: WireError, original?: GraphQLError): GraphQLError {
  const error = graphqlError(wire, original);
  if (wire.status === 401) return withStatus(error, 401);
  // What the server itself has HTTP say, like Allow.
  const http = original?.extensions.http as HttpExtensions | undefined;
  return http ? tellHttp(error, http) : error;
}
