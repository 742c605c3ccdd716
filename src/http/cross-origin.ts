import cors from 'cors';
import type { RequestHandler } from 'express';
import { API_PATH } from './response-headers.ts';

/** Response headers that scripts can read. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'x-conversation-id',
  'x-run-id',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Parley-Challenge',
  'Upload-Length',
  'Upload-Offset',
  'WWW-Authenticate',
];

/** The paths that an app in a browser needs to connect. No cookie is a credential there. */
const APP_PATH =
  /^\/(oauth\/(token|revoke|register)|\.well-known\/oauth-(authorization-server|protected-resource(\/mcp[\w/-]*)?))$/;

const ANY_ORIGIN = '*';

const allowPreflight = cors({
  origin: ANY_ORIGIN,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  // `*` does not include Authorization.
  allowedHeaders: ['*', 'Authorization'],
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: 600,
});

const EXPOSED = EXPOSED_HEADERS.join(',');

/**
 * Allows cross-origin requests from every page. The request itself is authorized later, so pages can read the
 * error. Cookies never work cross-origin. The response does not repeat the request's `Origin`, because its length is
 * unlimited.
 */
export const crossOrigin: RequestHandler = (request, response, next) => {
  if (!API_PATH.test(request.path) && !APP_PATH.test(request.path)) return next();
  if (request.method === 'OPTIONS') {
    // Other OPTIONS requests ask for the methods of a path. The route responds to them.
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    return isPreflight ? allowPreflight(request, response, next) : next();
  }
  // Every response has the same two headers. `cors` would assemble them again for each one.
  response.setHeader('Access-Control-Allow-Origin', ANY_ORIGIN);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  next();
};
