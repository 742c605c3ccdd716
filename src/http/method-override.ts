import type { RequestHandler } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { countRejected } from './unrouted.ts';

const HEADER = 'x-http-method-override';
const METHODS: readonly string[] = ['PATCH', 'PUT', 'DELETE'];

/**
 * Lets clients that can only send GET and POST use other methods: a POST with `X-HTTP-Method-Override` is handled as that
 * method, on every path. GET is not among them, because session cookies and caches treat reads differently. Pages of
 * other sites cannot send the header without a preflight.
 */
export const overrideMethod: RequestHandler = async (request, _response, next) => {
  const sent = request.method === 'POST' ? request.headers[HEADER] : undefined;
  if (sent === undefined) return next();
  const method = String(sent).trim().toUpperCase();
  if (!METHODS.includes(method) && method !== 'POST') {
    await countRejected(request);
    const message = '{param} must be PATCH, PUT or DELETE. Leave it out for a POST.';
    throw new ServiceError('invalid_request', message, { param: [HEADER] });
  }
  request.method = method;
  next();
};
