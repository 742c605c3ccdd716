import { GraphQLError } from 'graphql';
import { ERROR_CODES, ServiceError } from '../contract/errors.ts';
import { type ErrorContext, graphqlError, type HttpExtensions, type WireError, wireError } from './errors.ts';

const TOO_MANY_REQUESTS = 429;

/** Attaches the HTTP status and headers. They are not part of the error that clients receive. */
export function withHttp(error: GraphQLError, http: HttpExtensions): GraphQLError {
  Object.defineProperty(error.extensions, 'http', { value: http, configurable: true });
  return error;
}

/** The headers of a response to a request that failed, in every transport. */
export function headersOfError({ status, retryAfterMs, facts }: Pick<WireError, 'status' | 'retryAfterMs' | 'facts'>) {
  const scope = facts.required_scope;
  return {
    // `explainBearer` adds where apps get a token.
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 403 && scope !== undefined && { 'WWW-Authenticate': insufficientScope(String(scope)) }),
    ...(retryAfterMs !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }),
    // What waits on the connection of a caller over a limit is not handled.
    ...(status === TOO_MANY_REQUESTS && { Connection: 'close' }),
  };
}

/** The header of RFC 6750 with which an app asks its person for other scopes. `scope` can have several, with spaces. */
export function insufficientScope(scope: string): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`;
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
  if (wire.status === 401) return withHttp(error, { status: 401, headers: headersOfError(wire) });
  // Keeps headers from Yoga, for example Allow.
  const http = original?.extensions.http as HttpExtensions | undefined;
  return http ? withHttp(error, http) : error;
}
