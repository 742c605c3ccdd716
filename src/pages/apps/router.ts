import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../../domain/access/rate-limits.ts';
import type { Services } from '../../domain/context.ts';
import { holdWhileHandled, unfinishedBodies } from '../../http/body/unfinished-bodies.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { rejectMethod } from '../../http/unrouted.ts';
import { reportLimit } from '../../operation/rate-limits.ts';
import { authorizationServerMetadata, resourceMetadata } from './metadata.ts';
import { authorizationQuery } from './query.ts';

/** Handles the requests of apps and browsers to the authorization server. */
export type AuthorizationServer = (request: Request, response: Response) => Promise<void>;

/** The paths of the authorization server, and the documents that describe it and the resources. */
export function appPages(services: Services, server: AuthorizationServer): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const { publicUrl } = services.settings;
  const count = countByAddress(services);
  const handle: RequestHandler = (request, response) => server(request, response);
  const documents: Readonly<Record<string, object>> = {
    '/.well-known/oauth-authorization-server': authorizationServerMetadata(publicUrl),
    '/.well-known/oauth-protected-resource': resourceMetadata(publicUrl, publicUrl),
    '/.well-known/oauth-protected-resource/mcp': resourceMetadata(publicUrl, `${publicUrl}/mcp`),
  };
  for (const [path, document] of Object.entries(documents)) {
    const send = (_request: Request, response: Response) => {
      response.set('Cache-Control', 'public, max-age=300').json(document);
    };
    router.route(path).get(count, send).all(rejectMethod('GET, HEAD, OPTIONS'));
  }
  router
    .route('/oauth/authorize')
    .get(count, normalizeQuery, privately, handle)
    .all(rejectMethod('GET, HEAD, OPTIONS'));
  router.route('/oauth/authorize/:id').get(count, privately, handle).all(rejectMethod('GET, HEAD, OPTIONS'));
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    router.route(path).post(count, boundBody, handle).all(rejectMethod('POST, OPTIONS'));
  }
  return router;
}

/** Counts before anything is read or looked up. @throws {ServiceError} rate_limited */
function countByAddress(services: Services): RequestHandler {
  return async (request, _response, next) => {
    const exchange = exchangeOf(request);
    const key = addressKey(exchange.address);
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.appRequests, key, reportLimit(exchange));
    next();
  };
}

/** Counts the body until the response has ended. @throws {ServiceError} payload_too_large, rate_limited, unavailable */
const boundBody: RequestHandler = (request, response, next) => {
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.appBodyBytes) {
    throw new ServiceError('payload_too_large', `The body exceeds ${formatBytes(LIMITS.appBodyBytes)}.`);
  }
  const share = unfinishedBodies.enter(exchangeOf(request).address);
  share.take(LIMITS.appBodyBytes);
  holdWhileHandled(request, response, share);
  next();
};

/** The addresses contain secrets of requests. */
const privately: RequestHandler = (_request, response, next) => {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  next();
};

/** @throws {ServiceError} invalid_request if the query is too long, or contains what the database cannot store */
const normalizeQuery: RequestHandler = (request, _response, next) => {
  const query = request.originalUrl.split('?')[1] ?? '';
  if (query.length > LIMITS.appQueryLength) {
    throw new ServiceError('invalid_request', `The query must have at most ${LIMITS.appQueryLength} characters.`);
  }
  if (query.includes('%00')) throw new ServiceError('invalid_request', 'The query must not contain a null character.');
  request.url = `/oauth/authorize?${authorizationQuery(new URLSearchParams(query))}`;
  next();
};
