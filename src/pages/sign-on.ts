import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { UUID_PATTERN } from '../contract/ids.ts';
import { LIMITS } from '../contract/limits.ts';
import { SIGN_IN_PROBLEMS } from '../contract/sign-in.ts';
import { RATE_LIMITS, type RateLimit } from '../domain/access/rate-limits.ts';
import { SignInProblem } from '../domain/access/sso/problem.ts';
import { finishSignOn, startSignOn } from '../domain/access/sso/sign-on.ts';
import type { PublicContext, Services } from '../domain/context.ts';
import { exchangeOf } from '../http/exchange.ts';
import { setSessionCookie, setSignOnCookie, takeSignOnCookie } from '../operation/cookies.ts';
import { sendContinuation } from './continuation.ts';
import type { SendPage } from './document.ts';
import { openContext } from './open-context.ts';

type Handle = (open: PublicContext, request: Request, response: Response) => Promise<void>;

/**
 * Single sign-on with OpenID Connect: sends the browser to the provider, and opens a session when it returns. `otherwise`
 * handles other methods than GET.
 */
export function signOnPages(services: Services, send: SendPage, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const route = (path: string, limit: RateLimit, handle: Handle) =>
    router
      .route(path)
      .get(async (request, response) => {
        const open = await openContext(services, request, limit);
        response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
        try {
          await handle(open, request, response);
        } catch (error) {
          if (!(error instanceof SignInProblem)) throw error;
          const { code, message } = error;
          services.process.log.info(
            { reason: code, detail: message, request_id: open.request.id },
            'a single sign-on failed',
          );
          response.status(SIGN_IN_PROBLEMS[code]);
          send(response, 'dashboard', { title: 'Sign in · Parley', data: { signInProblem: code } });
        }
      })
      .all(otherwise);
  route('/sign-in/oidc', RATE_LIMITS.signInByAddress, start);
  // Each valid response belongs to a start, which was counted.
  route('/sign-in/oidc/callback/:workspace_id', RATE_LIMITS.withoutCredentials, finish);
  return router;
}

async function start(open: PublicContext, request: Request, response: Response): Promise<void> {
  const { workspace, domain } = request.query;
  const workspaceId = typeof workspace === 'string' ? uuidOf(workspace) : undefined;
  const target = { workspaceId, domain: workspaceId === undefined ? textOf(domain) : undefined };
  const { url, cookie, until } = await startSignOn(open, target);
  setSignOnCookie(open.services, exchangeOf(request), cookie, until);
  response.redirect(303, url.href);
}

async function finish(open: PublicContext, request: Request, response: Response): Promise<void> {
  const exchange = exchangeOf(request);
  const cookie = takeSignOnCookie(open.services, exchange);
  const query = request.originalUrl.split('?')[1] ?? '';
  if (query.length > LIMITS.providerResponseLength) {
    throw new SignInProblem('response_invalid', 'the response of the provider is too long');
  }
  const workspaceId = uuidOf(String(request.params.workspace_id));
  const { token, expiresAt } = await finishSignOn(open, workspaceId, cookie, new URLSearchParams(query));
  setSessionCookie(open.services, exchange, token, expiresAt);
  const dashboard = `${open.services.settings.publicUrl}/dashboard`;
  sendContinuation(response, dashboard, 'You are signed in', 'Open the dashboard');
}

/** @throws {SignInProblem} no_provider */
function uuidOf(text: string): string {
  if (UUID_PATTERN.test(text)) return text.toLowerCase();
  throw new SignInProblem('no_provider', 'the ID of the workspace is not valid');
}

/** The longest domain name. */
const DOMAIN_LENGTH = 253;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= DOMAIN_LENGTH && !value.includes('\0') ? value : undefined;
}
