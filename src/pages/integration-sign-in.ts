import { randomUUID } from 'node:crypto';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { isTypeId } from '../contract/ids.ts';
import { LIMITS } from '../contract/limits.ts';
import { authenticate } from '../domain/access/authenticate.ts';
import { callerContext } from '../domain/access/caller-context.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import {
  CLIENT_DOCUMENT_PATH,
  clientDocument,
  SIGN_IN_CALLBACK_PATH,
  signInRedirectUri,
} from '../domain/actions/sign-in/client.ts';
import { finishIntegrationSignIn, IntegrationSignInError } from '../domain/actions/sign-in/finish.ts';
import { openTicket, type SignInTicket } from '../domain/actions/sign-in/ticket.ts';
import type { Context, PublicContext, Services } from '../domain/context.ts';
import { exchangeOf } from '../http/exchange.ts';
import { sessionTokenOf, takeIntegrationCookie } from '../operation/cookies.ts';
import type { Exchange } from '../operation/exchange.ts';
import { reportLimit } from '../operation/rate-limits.ts';
import { sendContinuation } from './continuation.ts';

const CALLBACK_ROUTE = `${SIGN_IN_CALLBACK_PATH}/:integrationId` as const;

/**
 * The sign-in of members to MCP servers: the pages to which authorization servers send the browser, and the documents that
 * describe this service as a client.
 */
export function integrationSignInPages(services: Services, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  // Only the form counts, so that no page discloses which integrations exist.
  router.param('integrationId', (_request, _response, next, id) => next(isTypeId('int', id) ? undefined : 'route'));
  router
    .route(CALLBACK_ROUTE)
    .get(async (request, response) => {
      await openContext(services, request);
      // The authorization server started the navigation, so the browser has not sent the session cookie.
      sendContinuation(
        response,
        `${signInRedirectUri(services, request.params.integrationId)}/finish?${queryOf(request)}`,
        'Signing in',
        'Continue',
      );
    })
    .all(otherwise);
  router
    .route(`${CALLBACK_ROUTE}/finish`)
    .get(async (request, response) => {
      const open = await openContext(services, request);
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
      response.redirect(
        303,
        `${services.settings.publicUrl}/dashboard/integrations?${await finish(open, request, request.params.integrationId)}`,
      );
    })
    .all(otherwise);
  router
    .route(`${CLIENT_DOCUMENT_PATH}/:integrationId.json`)
    .get((request, response) => {
      const document = clientDocument(services, request.params.integrationId);
      response.set('Cache-Control', 'public, max-age=300').json(document);
    })
    .all(otherwise);
  return router;
}

/** The query of the page that shows the outcome. */
async function finish(open: PublicContext, request: Request, integrationId: string): Promise<URLSearchParams> {
  const exchange = exchangeOf(request);
  const cookie = takeIntegrationCookie(open.services, exchange);
  const ticket = cookie === undefined ? undefined : openTicket(open, cookie);
  const page = new URLSearchParams(ticket?.environment === 'test' ? { env: 'test' } : {});
  try {
    if (ticket?.integrationId !== integrationId)
      throw new IntegrationSignInError('expired', 'the browser has not started an attempt for this integration');
    const ctx = await memberContext(open, exchange, ticket);
    await finishIntegrationSignIn(ctx, ticket, new URLSearchParams(queryOf(request)));
    page.set('signIn', 'done');
  } catch (error) {
    if (!(error instanceof IntegrationSignInError)) throw error;
    const facts = { reason: error.code, detail: error.message, request_id: open.request.id };
    open.services.process.log.info(facts, 'a sign-in to an integration failed');
    page.set('signIn', error.code);
  }
  return page;
}

/** The context of the member whose session the browser has. @throws {IntegrationSignInError} */
async function memberContext(open: PublicContext, exchange: Exchange, { environment }: SignInTicket): Promise<Context> {
  const { services } = open;
  try {
    const headers = {
      authorization: [`Bearer ${sessionTokenOf(services, exchange) ?? ''}`],
      'x-api-key': [],
      'x-environment': environment,
    };
    const sender = { address: exchange.address, refused: () => {} };
    const found = await authenticate(services, headers, { sender, address: { deploymentId: undefined } });
    if (found && 'caller' in found && found.caller.kind === 'session') return callerContext(open, found.caller);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  throw new IntegrationSignInError('expired', 'the browser has no session');
}

/** Each valid response belongs to a start, which was counted. @throws {ServiceError} rate_limited */
async function openContext(services: Services, request: Request): Promise<PublicContext> {
  const exchange = exchangeOf(request);
  const { requestId: id, address } = exchange;
  const report = reportLimit(exchange);
  await countRequest(services.stores.rateLimiter, RATE_LIMITS.withoutCredentials, addressKey(address), report);
  const facts = { id, address, userAgent: exchange.header('user-agent'), claim: undefined, reportLimit: report };
  return { services, request: facts, now: () => new Date(), newId: randomUUID };
}

/** The response of the authorization server. Without a value that is too long, it belongs to no attempt. */
function queryOf(request: Request): string {
  const query = request.originalUrl.split('?')[1] ?? '';
  return query.length > LIMITS.providerResponseLength ? '' : new URLSearchParams(query).toString();
}
