import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import { loggedError } from './logged-error.ts';

declare module 'http' {
  interface IncomingMessage {
    /** The request ID that `requestLog` sets. */
    id: string;
    /** The trace of the request. Undefined: tracing is off. */
    traceId?: string;
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Monitoring systems call these every few seconds. */
const UNLOGGED = new Set(['/healthz', '/readyz', '/metrics']);

/** Lines are buffered up to this size or time, because each write wakes the process that reads them. */
const BUFFER_BYTES = 4_096;
const BUFFER_MS = 100;

/** Writes JSON lines to standard output. They contain IDs, codes and times, never message content or secrets. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  const timestamp = () => `,"time":"${new Date().toISOString()}"`;
  return pino({ level, base: null, timestamp, serializers: { err: (error) => loggedError(error) } }, destination);
}

/** The buffer is written when the process exits. A killed process loses it. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => output.flush(), BUFFER_MS).unref();
  return output;
}

/**
 * Sets the ID of each request, returns it in `x-request-id`, and logs the request when its response is closed. The ID
 * comes from the client if its format is valid. Query strings and headers are not logged, because they can
 * contain content and credentials. This does not use pino-http: a logger per request would take a tenth of the time of
 * a read.
 */
export function requestLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const id = request.headers['x-request-id'];
    request.id = typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
    response.setHeader('x-request-id', request.id);
    const startedMs = performance.now();
    // `close` follows `finish`, and also comes if the client disconnects.
    if (!UNLOGGED.has(request.path)) response.on('close', () => logResponse(log, request, response, startedMs));
    next();
  };
}

function logResponse(log: Logger, request: Request, response: Response, startedMs: number): void {
  const { id, method, originalUrl, traceId } = request;
  const { statusCode: status } = response;
  const fields = {
    request_id: id,
    ...(traceId !== undefined && { trace_id: traceId }),
    duration_ms: Math.round(performance.now() - startedMs),
    method,
    path: originalUrl.split('?')[0],
    status,
  };
  const message =
    status >= 500 ? 'request failed' : response.writableFinished ? 'request completed' : 'request aborted';
  log[status >= 500 ? 'error' : 'info'](fields, message);
}
