import type { Request, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import { chooseCoding, endJson } from '../http/compression.ts';
import { isNotModified, REVALIDATED, tagOfBody } from '../http/conditional.ts';
import { type WireError, wireErrorOf } from '../operation/errors.ts';
import { headersOfError } from '../operation/mask.ts';
import { acceptedHeaders, linkHeaders } from './links.ts';
import type { Route } from './route.ts';
import { headersOf, reshape } from './shape.ts';

/** A response before it is written. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body itself determines the entity tag. */
  readonly isTagged?: boolean;
}

export async function sendReply(response: Response, { status, headers: given, body, isTagged }: Reply): Promise<void> {
  response.statusCode = status;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const tag = isTagged && text !== undefined && { ETag: tagOfBody(text), 'Cache-Control': REVALIDATED };
  const headers: Reply['headers'] = { ...given, ...tag };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (text === undefined) return void response.end();
  const coding = chooseCoding(response, text);
  if (isNotModified(response.req, headers.ETag)) return void response.status(304).end();
  // The same header as Express's `json`.
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  await endJson(response, text, coding);
}

/** The response to a route's result: an error body, or what the document selects. */
export function resultReply(request: Request, route: Route, result: ExecutionResult, requestId: string): Reply {
  const [error] = result.errors ?? [];
  if (error) return errorReply(wireErrorOf(error), requestId);
  const { directive, shape } = route;
  const selected = headersOf(result.data, shape);
  // A client can store a response that it can revalidate.
  const headers = selected.ETag === undefined ? selected : { ...selected, 'Cache-Control': REVALIDATED };
  const { status } = directive;
  if (status === 204) return { status, headers };
  const body = bodyOf(route, result);
  const accepted = acceptedHeaders(route, body);
  if (accepted) return { status: 202, headers: { ...headers, ...accepted }, body };
  return { status, headers: { ...headers, ...linkHeaders(request, route, body) }, body };
}

/** @throws {GraphQLError} the first error of the result */
export function bodyOf({ shape, directive, responseKey }: Route, { data, errors }: ExecutionResult): unknown {
  const [error] = errors ?? [];
  if (error) throw error;
  const body = reshape(data, shape) as Record<string, unknown>;
  return directive.unwrap ? body[responseKey] : body;
}

/** Responds with an error. */
export function errorReply(error: WireError, requestId: string): Reply {
  return { status: error.status, headers: headersOfError(error), body: errorBody(error, requestId) };
}

export function sendError(response: Response, error: WireError, requestId: string): Promise<void> {
  return sendReply(response, errorReply(error, requestId));
}

export function errorBody(error: WireError, requestId: string): object {
  return { error: errorFields(error), request_id: requestId };
}

export function errorFields({ type, code, message, param, facts }: WireError): object {
  return { type, code, message, param, ...facts };
}
