import type { Response } from 'express';
import type { WireError } from '../graphql/errors.ts';

/** Seconds after which a client may try again what the service could not take. */
const RETRY_AFTER_SECONDS = '2';

/** The error body of WIRE 3. */
export function sendError(response: Response, error: WireError, requestId: string): void {
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (error.status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  response.status(error.status).json(errorBody(error, requestId));
}

export function errorBody({ type, code, message, param, facts }: WireError, requestId: string): object {
  return { error: { type, code, message, param, ...facts }, request_id: requestId };
}
