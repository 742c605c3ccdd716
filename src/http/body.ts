import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { checkJson, variablePath } from '../operation/json-bounds.ts';

/** Rejects a body without a JSON content type (WIRE 1). */
const requireJson: RequestHandler = (request, _response, next) => {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  const hasBody = encoding !== undefined || Number(length) > 0;
  if (hasBody && !request.is('application/json')) {
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  next();
};

/**
 * Checks the bytes before they are parsed. Only UTF-8 is accepted, because other bytes would silently become different
 * text. JSON.parse would silently change integers that are too large.
 */
function checkBytes(request: IncomingMessage, _response: unknown, body: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') throw new ServiceError('unsupported_media_type', NOT_UTF8);
  if (!isUtf8(body)) throw new ServiceError('invalid_json', 'The body is not valid UTF-8.');
  checkJson(body, pathNames.find(({ path }) => path.test(request.url ?? ''))?.nameOf);
}

/** Errors name a field of the operation's input, not its place in the envelope. */
const pathNames = [
  { path: /^\/graphql/, nameOf: graphqlPath },
  { path: /^\/mcp/, nameOf: toolPath },
  { path: /^\/v1\/runner\/[^/]*\/ui(\?|$)/, nameOf: messagePath },
];

function graphqlPath(path: FieldPath): FieldPath {
  return path[0] === 'variables' ? variablePath(path.slice(1)) : path;
}

function toolPath(path: FieldPath): FieldPath {
  return path[0] === 'params' && path[1] === 'arguments' ? path.slice(2) : path;
}

/** The parts of a chat's message are the content of a turn. */
function messagePath(path: FieldPath): FieldPath {
  return path[0] === 'messages' && path[2] === 'parts' ? ['content', ...path.slice(3)] : path;
}

const NOT_UTF8 = 'Send the body as JSON in UTF-8.';

/** Runner paths have a higher limit, because their content can contain inline data. */
const RUNNER_PATH = /^\/v[12]\/runner\//;

const limitOf = ({ path }: Pick<Request, 'path'>) =>
  RUNNER_PATH.test(path) ? LIMITS.runnerBodyBytes : LIMITS.bodyBytes;

const readers = new Map(
  [LIMITS.bodyBytes, LIMITS.runnerBodyBytes].map((limit) => [
    limit,
    express.json({ limit, strict: false, type: 'application/json', verify: checkBytes }),
  ]),
);

const parse: RequestHandler = (request, response, next) => readers.get(limitOf(request))?.(request, response, next);

const reportError: ErrorRequestHandler = (error, request, _response, next) => next(translate(error, limitOf(request)));

/** Reads JSON bodies, for every transport. */
export const readBody: (RequestHandler | ErrorRequestHandler)[] = [requireJson, parse, reportError];

/** Converts errors of body-parser to errors of this service. */
function translate(error: { type?: string; status?: number }, limit: number): unknown {
  if (error instanceof ServiceError) return error;
  switch (error.type) {
    case 'entity.too.large':
      return new ServiceError('payload_too_large', `The body exceeds ${formatBytes(limit)}.`);
    case 'entity.parse.failed':
      return new ServiceError('invalid_json', 'The body is not valid JSON.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ServiceError('unsupported_media_type', NOT_UTF8);
    case 'request.aborted':
    case 'request.size.invalid':
      return new ServiceError('invalid_request', 'The body is shorter than its Content-Length.');
    default:
      return error.status === 400 ? new ServiceError('invalid_json', 'The body cannot be read.') : error;
  }
}
