import { GraphQLError } from 'graphql';
import { ERROR_CODES, ServiceError } from '../contract/errors.ts';
import { type ErrorContext, graphqlError, type HttpExtensions, type WireError, wireError } from './errors.ts';

/** Attaches the HTTP status and headers. They are not part of the error that clients receive. */
export function withHttp(error: GraphQLError, http: HttpExtensions): GraphQLError {
  Object.defineProperty(error.extensions, 'http', { value: http, configurable: true });
  return error;
}

const HEADERS_OF: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  503: { 'Retry-After': '2' },
};

/** Headers that every response with this status has. */
export function headersOfStatus(status: number): Readonly<Record<string, string>> {
  return HEADERS_OF[status] ?? {};
}

/** Converts any error to the error that the client receives. */
export function mask(error: unknown, about: ErrorContext): GraphQLError {
  const original = error instanceof GraphQLError ? error : undefined;
  const isMasked = original && Object.hasOwn(ERROR_CODES, String(original.extensions.code));
  if (isMasked && !(original.originalError instanceof ServiceError)) return original;
  return masked(wireError(error, about), original);
}

/** Only missing credentials set the HTTP status. Other errors of fields have status 200. */
function masked(wire: WireError, original?: GraphQLError): GraphQLError {
  const error = graphqlError(wire, original);
  if (wire.status === 401) return withHttp(error, { status: 401, headers: headersOfStatus(401) });
  // Keeps headers from Yoga, for example Allow.
  const http = original?.extensions.http as HttpExtensions | undefined;
  return http ? withHttp(error, http) : error;
}
