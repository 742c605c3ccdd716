import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { ConnectPageData, ConnectProblem } from '../contract/apps/connect-page.ts';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import { LIMITS } from '../contract/limits.ts';
import { SIGN_IN_PROBLEMS } from '../contract/sign-in.ts';
import { requestUnknown } from '../domain/access/apps/decisions.ts';
import { decideAsEndUser } from '../domain/access/end-users/connect/decide.ts';
import { type EndUserRequest, requireEndUserRequest } from '../domain/access/end-users/connect/request.ts';
import { finishEndUserSignIn, startEndUserSignIn } from '../domain/access/end-users/connect/sign-in.ts';
import { grantedScopes, openUser, type SignedInUser } from '../domain/access/end-users/connect/signed-in-user.ts';
import { RATE_LIMITS, type RateLimit } from '../domain/access/rate-limits.ts';
import { SignInProblem } from '../domain/access/sso/problem.ts';
import { brandingOf, pageBranding } from '../domain/branding/branding.ts';
import type { PublicContext, Services } from '../domain/context.ts';
import { exchangeOf } from '../http/exchange.ts';
import {
  clearEntryCookie,
  connectionRequestOf,
  hasConnectionCookie,
  readEntryCookie,
  requireOwnPage,
  setEntryCookie,
} from '../operation/cookies.ts';
import type { SendPage } from './document.ts';
import { openContext } from './open-context.ts';
import { pageLocale } from './page-locale.ts';

interface Visit {
  readonly open: PublicContext;
  readonly request: Request;
  readonly response: Response;
}

/**
 * The pages on which an end user signs in at their issuer, and allows or denies the access that an app asks for. No session of
 * a member is read. `otherwise` handles other methods.
 */
export function connectPages(services: Services, send: SendPage, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const visiting =
    (limit: RateLimit, handle: (visit: Visit) => Promise<void>): RequestHandler =>
    async (request, response) => {
      const open = await openContext(services, request, limit);
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
      await handle({ open, request, response });
    };
  const shown = (limit: RateLimit, handle: (visit: Visit) => Promise<void>) =>
    visiting(limit, async (visit) => {
      try {
        await handle(visit);
      } catch (error) {
        showProblem(send, visit, error);
      }
    });
  router.route('/connect/callback/:environment_id').get(shown(RATE_LIMITS.withoutCredentials, finish)).all(otherwise);
  router
    .route('/connect/:request_id')
    .get(shown(RATE_LIMITS.appRequests, (visit) => ask(visit, send)))
    .all(otherwise);
  for (const [answer, isAllowed] of [
    ['allow', true],
    ['deny', false],
  ] as const) {
    router
      .route(`/connect/:request_id/${answer}`)
      .post(visiting(RATE_LIMITS.appRequests, (visit) => decide(visit, isAllowed)))
      .all(rejectRead);
  }
  return router;
}

const rejectRead: RequestHandler = (_request, response) => {
  response.set('Allow', 'POST');
  throw new ServiceError('method_not_allowed', 'This address accepts POST.');
};

/** Shows the request of an app. Sends the browser to the issuer first, for each request again. */
async function ask({ open, request, response }: Visit, send: SendPage): Promise<void> {
  const exchange = exchangeOf(request);
  const requestId = requireOwnRequest(open, request);
  const found = await requireEndUserRequest(open, requestId);
  const cookie = readEntryCookie(open.services, exchange, 'user');
  const user = openUser(open, { requestId, offered: found.offered }, cookie);
  if (user) {
    const data = dataOf(found, user);
    const locale = pageLocale(data.branding?.language ?? 'auto', request);
    send(response, 'connect', { title: titleOf(found), locale, data });
    return;
  }
  const started = await startEndUserSignIn(open, requestId);
  setEntryCookie(open.services, exchange, 'attempt', started);
  response.redirect(303, started.url.href);
}

const titleOf = ({ offered: { deployment } }: EndUserRequest) =>
  brandingOf(deployment.branding).name ?? deployment.name;

function dataOf({ request, offered }: EndUserRequest, user: SignedInUser): ConnectPageData {
  const { id, clientName, clientHost, redirectUrl, scopes } = request;
  const { deployment, issuer } = offered;
  const { host, protocol } = new URL(redirectUrl);
  return {
    branding: pageBranding(deployment.id, brandingOf(deployment.branding)),
    app: {
      requestId: id,
      name: clientName,
      host: clientHost,
      redirectHost: /^https?:$/.test(protocol) ? host : protocol,
      isLoopback: protocol !== 'https:',
      scopes: grantedScopes(scopes, user),
      user: user.label,
      issuerHost: new URL(issuer).host,
      deployment: deployment.name,
    },
  };
}

/** The issuer has sent the browser back. */
async function finish({ open, request, response }: Visit): Promise<void> {
  const exchange = exchangeOf(request);
  const { services } = open;
  const attempt = readEntryCookie(services, exchange, 'attempt');
  clearEntryCookie(services, exchange, 'attempt');
  const query = request.originalUrl.split('?')[1] ?? '';
  const environmentId = String(request.params.environment_id).toLowerCase();
  if (query.length > LIMITS.providerResponseLength || !UUID_PATTERN.test(environmentId)) {
    throw new SignInProblem('response_invalid', 'the response of the issuer is too long, or at a wrong address');
  }
  const signedIn = await finishEndUserSignIn(open, environmentId, attempt, new URLSearchParams(query));
  setEntryCookie(services, exchange, 'user', signedIn);
  response.redirect(303, `${services.settings.publicUrl}/connect/${encodeURIComponent(signedIn.requestId)}`);
}

/** The person has answered on the page. */
async function decide({ open, request, response }: Visit, isAllowed: boolean): Promise<void> {
  const { services } = open;
  const exchange = exchangeOf(request);
  requireOwnPage(services, exchange);
  const requestId = requireOwnRequest(open, request);
  const cookie = readEntryCookie(services, exchange, 'user');
  await decideAsEndUser(open, { requestId, isAllowed, cookie });
  clearEntryCookie(services, exchange, 'user');
  response.json({ redirect_url: `${services.settings.publicUrl}/oauth/authorize/${encodeURIComponent(requestId)}` });
}

/** The request that this browser started. @throws {ServiceError} not_found */
function requireOwnRequest({ services }: PublicContext, request: Request): string {
  const requestId = String(request.params.request_id);
  if (requestId.length <= LIMITS.appRequestIdLength && hasConnectionCookie(services, exchangeOf(request), requestId)) {
    return requestId;
  }
  throw requestUnknown();
}

/** @throws the error, unless the page explains it */
function showProblem(send: SendPage, { open, request, response }: Visit, error: unknown): void {
  if (error instanceof ServiceError && error.code === 'not_found') {
    response.status(404);
    sendProblem(send, { request, response }, 'unknown');
    return;
  }
  if (!(error instanceof SignInProblem)) throw error;
  const { code, message } = error;
  const facts = { reason: code, detail: message, request_id: open.request.id };
  open.services.process.log.info(facts, 'the sign-in of an end user failed');
  response.status(SIGN_IN_PROBLEMS[code]);
  const problem = code === 'provider_denied' ? 'sign_in_denied' : 'sign_in_failed';
  sendProblem(send, { request, response }, problem, retryOf(open, request));
}

type Asked = Pick<Visit, 'request' | 'response'>;

function sendProblem(send: SendPage, { request, response }: Asked, problem: ConnectProblem, retry?: string): void {
  const data: ConnectPageData = { problem, ...(retry !== undefined && { retry }) };
  send(response, 'connect', { title: 'Parley', locale: pageLocale('auto', request), data });
}

/** The page of the request that is still open in this browser. */
function retryOf({ services }: PublicContext, request: Request): string | undefined {
  const requestId = connectionRequestOf(services, exchangeOf(request));
  return requestId === undefined ? undefined : `/connect/${encodeURIComponent(requestId)}`;
}
