import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import { pinoHttp } from 'pino-http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** JSON lines on standard output: ids, codes and times; never message content, never a secret. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Gives each request its id (the caller's where it is usable, WIRE 1), answers it in `x-request-id`, and logs the
 * request once it is answered. Queries and headers are left out: they can hold content and credentials.
 */
export function requestLog(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: (request, response) => {
      const given = request.headers['x-request-id'];
      const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
      response.setHeader('x-request-id', id);
      return id;
    },
    autoLogging: { ignore: ({ url }) => url === '/healthz' || url === '/readyz' || url === '/metrics' },
    customLogLevel: (_request, { statusCode }, error) => (error || statusCode >= 500 ? 'error' : 'info'),
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'request_id', responseTime: 'duration_ms' },
    serializers: { req: () => undefined, res: () => undefined },
    customSuccessObject: (request, response, value: object) => ({ ...value, ...answered(request, response) }),
    customErrorObject: (request, response, _error, value: object) => ({ ...value, ...answered(request, response) }),
    customSuccessMessage: () => 'answered',
    customErrorMessage: () => 'failed',
  }) as RequestHandler;
}

function answered(request: { method?: string; url?: string }, response: { statusCode: number }): object {
  const { originalUrl } = request as { originalUrl?: string };
  const path = (originalUrl ?? request.url ?? '').split('?')[0];
  return { method: request.method, path, status: response.statusCode };
}
