import type { Request, Response } from 'express';
import { parseEntityTags } from '../contract/entity-tags.ts';
import type { WireError } from '../graphql/errors.ts';
import type { RouteAnswer } from './execute.ts';
import type { Route } from './route.ts';

/** Seconds after which a client may try again what the service could not take. */
const RETRY_AFTER_SECONDS = '2';

/** What a route answers; 304 without a body where a read answers what the client has already. */
export function sendAnswer(
  request: Request,
  response: Response,
  { directive, method }: Route,
  { headers, body }: RouteAnswer,
): void {
  response.set(headers);
  if (method === 'get' && isKnown(headers.ETag, request.get('if-none-match'))) response.status(304).end();
  else if (directive.status === 204) response.status(204).end();
  else response.status(directive.status).json(body);
}

/**
 * Whether the client has this version. Express's own answer is none to rely on: it is always no where the request says
 * `Cache-Control: no-cache`, as `fetch` does beside If-None-Match, and that word is for caches alone.
 */
function isKnown(etag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === undefined) return false;
  const tags = parseEntityTags(ifNoneMatch) ?? [];
  // Compared weakly (RFC 9110).
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}

/** The error body of WIRE 3. */
export function sendError(response: Response, error: WireError, requestId: string): void {
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (error.status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  response.status(error.status).json(errorBody(error, requestId));
}

export function errorBody({ type, code, message, param, facts }: WireError, requestId: string): object {
  return { error: { type, code, message, param, ...facts }, request_id: requestId };
}
