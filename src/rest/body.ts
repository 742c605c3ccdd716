import { isUtf8 } from 'node:buffer';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';

/** Refuses a body that is not announced as JSON (WIRE 1). */
const requireJson: RequestHandler = (request, _response, next) => {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  const hasBody = encoding !== undefined || Number(length) > 0;
  if (hasBody && !request.is('application/json')) {
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  next();
};

/** UTF-8 and nothing else: another encoding, or bytes that are none, would be turned into other text silently. */
function requireUtf8(_request: unknown, _response: unknown, body: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') throw new ServiceError('unsupported_media_type', NOT_UTF8);
  if (!isUtf8(body)) throw new ServiceError('invalid_json', 'The body is not valid UTF-8.');
}

const NOT_UTF8 = 'Send the body as JSON in UTF-8.';

const inOurWords: ErrorRequestHandler = (error, _request, _response, next) => next(translate(error));

/** Reads JSON bodies, for both doors. */
export const readBody: (RequestHandler | ErrorRequestHandler)[] = [
  requireJson,
  express.json({ limit: LIMITS.bodyBytes, strict: false, type: 'application/json', verify: requireUtf8 }),
  inOurWords,
];

/** What body-parser says, as this service says it. */
function translate(error: { type?: string; status?: number }): unknown {
  if (error instanceof ServiceError) return error;
  switch (error.type) {
    case 'entity.too.large':
      return new ServiceError('payload_too_large', 'The body is larger than 10 MiB.');
    case 'entity.parse.failed':
      return new ServiceError('invalid_json', 'The body is not valid JSON.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ServiceError('unsupported_media_type', NOT_UTF8);
    case 'request.aborted':
    case 'request.size.invalid':
      return new ServiceError('invalid_request', 'The body ended before its announced length.');
    default:
      return error.status === 400 ? new ServiceError('invalid_json', 'The body cannot be read.') : error;
  }
}
