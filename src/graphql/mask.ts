import { GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { graphqlError, type WireError, wireError } from './errors.ts';

/** HTTP's own status, beside the one in `extensions`. */
export function withStatus(error: GraphQLError, status: number): GraphQLError {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  Object.assign(error.extensions, { http: { status, headers } });
  return error;
}

/** What a client is told of any error of an execution. */
export function mask(error: unknown, services: Services, requestId: string): Error {
  const known = error instanceof GraphQLError ? error : undefined;
  // Already told in this service's words, or a fault of the document that carries its own code.
  if (known?.extensions.code !== undefined && !(known.originalError instanceof ServiceError)) return known;
  return told(wireError(error, { log: services.log, requestId }), known);
}

/** Missing credentials are HTTP's business too; any other error is told in an answer that HTTP calls well. */
export function told(wire: WireError, original?: GraphQLError): GraphQLError {
  const error = graphqlError(wire, original);
  return wire.status === 401 ? withStatus(error, 401) : error;
}
