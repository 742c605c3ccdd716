import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { deploymentOfResource } from '../../contract/apps/deployment-resource.ts';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/quantities.ts';
import { END_USER_SCOPES } from '../../contract/scopes.ts';
import { resourcesOf } from '../../domain/access/apps/authorization-port.ts';
import { offeredSignIn, requireOffered } from '../../domain/access/end-users/offered-sign-in.ts';
import { addressKey, countRequest, RATE_LIMITS, type RateLimit } from '../../domain/access/rate-limits.ts';
import { isRegisteredApp } from '../../domain/access/tokens.ts';
import { brandingOf } from '../../domain/branding/branding.ts';
import type { Services } from '../../domain/context.ts';
import { holdWhileHandled, unfinishedBodies } from '../../http/body/unfinished-bodies.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { rejectMethod } from '../../http/unrouted.ts';
import { reportLimit } from '../../operation/rate-limits.ts';
import { authorizationServerMetadata, resourceMetadata } from './metadata.ts';
import { authorizationQuery, invalidParameter, MEMBER_SCOPES, USER_SCOPES } from './query.ts';
import { registration } from './registration.ts';

/** Handles the requests of apps and browsers to the authorization server. */
export type AuthorizationServer = (request: Request, response: Response) => Promise<void>;

/** The paths of the authorization server, and the documents that describe it and the resources. */
export function appPages(services: Services, server: AuthorizationServer): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const { publicUrl, appRegistration } = services.settings;
  const count = countByAddress(services, RATE_LIMITS.appRequests);
  const handle: RequestHandler = (request, response) => server(request, response);
  const documents: Readonly<Record<string, object>> = {
    '/.well-known/oauth-authorization-server': authorizationServerMetadata(services.settings),
    [METADATA]: resourceMetadata(publicUrl, { resource: publicUrl }),
    [`${METADATA}/mcp`]: resourceMetadata(publicUrl, { resource: `${publicUrl}/mcp` }),
  };
  for (const [path, document] of Object.entries(documents)) {
    const send = (_request: Request, response: Response) => sendMetadata(response, document);
    router.route(path).get(count, send).all(rejectMethod('GET, HEAD, OPTIONS'));
  }
  router
    .route(`${METADATA}/mcp{/test}/deployments/:deployment_id`)
    .get(count, describeDeployment(services))
    .all(rejectMethod('GET, HEAD, OPTIONS'));
  router
    .route('/oauth/authorize')
    .get(count, normalizeQuery(services), privately, handle)
    .all(rejectMethod('GET, HEAD, OPTIONS'));
  router.route('/oauth/authorize/:id').get(count, privately, handle).all(rejectMethod('GET, HEAD, OPTIONS'));
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    router.route(path).post(count, boundBody, handle).all(rejectMethod('POST, OPTIONS'));
  }
  if (appRegistration) {
    const countRegistration = countByAddress(services, RATE_LIMITS.appRegistrations);
    router
      .route('/oauth/register')
      .post(count, countRegistration, registration(services))
      .all(rejectMethod('POST, OPTIONS'));
  }
  return router;
}

const METADATA = '/.well-known/oauth-protected-resource';

function sendMetadata(response: Response, document: object): void {
  response.set('Cache-Control', 'public, max-age=300').json(document);
}

/** Describes the MCP server of a deployment whose end users can sign in. @throws {ServiceError} not_found for any other */
function describeDeployment(services: Services): RequestHandler {
  return async (request, response) => {
    const path = request.path.slice(METADATA.length);
    const { name } = brandingOf((await requireOffered(services, path)).deployment.branding);
    const { publicUrl } = services.settings;
    const resource = { resource: publicUrl + path, name: name ?? undefined, scopes: END_USER_SCOPES };
    sendMetadata(response, resourceMetadata(publicUrl, resource));
  };
}

/** Counts before anything is read or looked up. @throws {ServiceError} rate_limited */
function countByAddress(services: Services, limit: RateLimit): RequestHandler {
  return async (request, _response, next) => {
    const exchange = exchangeOf(request);
    const key = addressKey(exchange.address);
    await countRequest(services.stores.rateLimiter, limit, key, reportLimit(exchange));
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

/** @throws {ServiceError} invalid_request */
function rejectRegistered(clientIds: readonly string[]): void {
  if (!clientIds.some(isRegisteredApp)) return;
  throw new ServiceError('invalid_request', 'The service connects no apps that registered themselves.');
}

/** @throws {ServiceError} invalid_request if the query is too long, contains what the database cannot store, or is not valid */
function normalizeQuery(services: Services): RequestHandler {
  const { publicUrl, appRegistration } = services.settings;
  const ofMembers = new Set(resourcesOf(publicUrl));
  return async (request, _response, next) => {
    const text = request.originalUrl.split('?')[1] ?? '';
    if (text.length > LIMITS.appQueryLength) {
      throw new ServiceError('invalid_request', `The query must have at most ${LIMITS.appQueryLength} characters.`);
    }
    if (text.includes('%00')) throw new ServiceError('invalid_request', 'The query must not contain a null character.');
    const query = new URLSearchParams(text);
    if (!appRegistration) rejectRegistered(query.getAll('client_id'));
    // An app can ask for several addresses of the service, but only for one deployment and nothing else.
    const [resource = '', another] = query.getAll('resource');
    const ofEndUsers = another === undefined ? deploymentOfResource(publicUrl, resource) : undefined;
    const isOffered = ofEndUsers && (await offeredSignIn(services, ofEndUsers)) !== undefined;
    const name = invalidParameter(query, (named) => isOffered || ofMembers.has(named));
    if (name !== undefined) {
      throw new ServiceError('invalid_request', 'The app asked with another {param} than the service supports.', {
        param: [name],
      });
    }
    request.url = `/oauth/authorize?${authorizationQuery(query, isOffered ? USER_SCOPES : MEMBER_SCOPES)}`;
    next();
  };
}
