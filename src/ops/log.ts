import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';

declare module 'http' {
  interface IncomingMessage {
    /** The request's id, once `requestLog` has given it. */
    id: string;
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Asked by machines, every few seconds. */
const UNLOGGED = new Set(['/healthz', '/readyz', '/metrics']);

/** Lines are gathered up to so many bytes, or for so long: each write wakes whoever reads them. */
const GATHERED_BYTES = 4_096;
const GATHERED_MS = 100;

/** JSON lines on standard output: ids, codes and times; never message content, never a secret. */
export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  return pino({ level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, destination);
}

/** What is gathered when the process ends by itself is written then; one that is killed loses it. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: GATHERED_BYTES });
  setInterval(() => output.flush(), GATHERED_MS).unref();
  return output;
}

/**
 * Gives each request its id (the caller's where it is usable, WIRE 1), answers it in `x-request-id`, and logs the
 * request once it is answered, or its client has gone. Queries and headers are left out: they can hold content and
 * credentials. Written here, since a logger made for each request costs a tenth of what a read takes.
 */
export function requestLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    request.id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    response.setHeader('x-request-id', request.id);
    const startedAt = Date.now();
    // Told after `finish` too.
    if (!UNLOGGED.has(request.path)) response.on('close', () => logAnswer(log, request, response, startedAt));
    next();
  };
}

function logAnswer(log: Logger, request: Request, response: Response, startedAt: number): void {
  const { id, method, originalUrl } = request;
  const { statusCode: status } = response;
  const facts = {
    request_id: id,
    duration_ms: Date.now() - startedAt,
    method,
    path: originalUrl.split('?')[0],
    status,
  };
  const message = status >= 500 ? 'failed' : response.writableFinished ? 'answered' : 'broken off';
  log[status >= 500 ? 'error' : 'info'](facts, message);
}
