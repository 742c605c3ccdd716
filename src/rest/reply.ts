import type { Request, Response } from 'express';
import { parseEntityTags } from '../contract/entity-tags.ts';
import type { WireError } from '../graphql/errors.ts';
import { headersOfStatus } from '../graphql/mask.ts';
import type { RouteAnswer } from './execute.ts';
import type { Route } from './route.ts';

/** An answer as it is written. Without a body where there is none. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function sendReply(response: Response, { status, headers, body }: Reply): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body === undefined) return void response.end();
  const text = JSON.stringify(body);
  // As Express writes it, but for what this service has switched off.
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** What a route answers; 304 without a body where a read answers what the client has already. */
export function answerReply(request: Request, { directive, method }: Route, { headers, body }: RouteAnswer): Reply {
  if (method === 'get' && isKnown(headers.ETag, request.get('if-none-match'))) return { status: 304, headers };
  const { status } = directive;
  return status === 204 ? { status, headers } : { status, headers, body };
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

/** The error answer of WIRE 3. */
export function errorReply(error: WireError, requestId: string): Reply {
  return { status: error.status, headers: headersOfStatus(error.status), body: errorBody(error, requestId) };
}

export function sendError(response: Response, error: WireError, requestId: string): void {
  sendReply(response, errorReply(error, requestId));
}

export function errorBody({ type, code, message, param, facts }: WireError, requestId: string): object {
  return { error: { type, code, message, param, ...facts }, request_id: requestId };
}
