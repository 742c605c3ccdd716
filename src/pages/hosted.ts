import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import express, { type RequestHandler, type Router } from 'express';
import { BRANDING_LANGUAGES, type PageBranding } from '../contract/branding/branding.ts';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { admitVisitor, type HostedDeployment, hostedDeployment } from '../domain/access/visitors.ts';
import { pageBranding } from '../domain/branding/branding.ts';
import type { Services } from '../domain/context.ts';
import { exchangeOf } from '../http/exchange.ts';
import { setVisitorCookie, visitorOf } from '../operation/cookies.ts';
import { reportLimit } from '../operation/rate-limits.ts';
import type { SendPage } from './document.ts';
import { pageLocale } from './page-locale.ts';

/** The hosted pages. `otherwise` handles other methods than GET. */
export function hostedPages(services: Services, send: SendPage, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const name of ['chat', 'agent'] as const) {
    router
      .get(`/${name}/:deployment_id`, admitVisitors(services), (request, response) => {
        const deployment = response.locals.deployment as HostedDeployment;
        const { id: deploymentId, kind, triggerRequired, maxFileBytes, allowEditing, allowlist } = deployment;
        const branding = inLanguage(pageBranding(deploymentId, deployment.branding), request.query.lang);
        const { name: title } = deployment;
        const limits = { maxFileBytes, allowEditing };
        // Sites on the list can identify their user. The policy of the page names them as well.
        const data = { deploymentId, name: title, kind, triggerRequired, ...limits, branding, allowlist };
        const locale = pageLocale(branding.language, request);
        send(response, name, { title: branding.name ?? title, locale, data, frameAncestors: framesOf(deployment) });
      })
      .all(`/${name}/:deployment_id`, otherwise);
  }
  return router;
}

/**
 * Makes the browser a visitor of the deployment. Rate limited per IP address, because anyone can create visitors.
 * @throws {ServiceError} not_found if the deployment does not exist or has no hosted page; rate_limited
 */
function admitVisitors(services: Services): RequestHandler {
  return async (request, response, next) => {
    const exchange = exchangeOf(request);
    const report = reportLimit(exchange);
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.hostedPage, addressKey(exchange.address), report);
    const id = String(request.params.deployment_id).toLowerCase();
    const deployment = UUID_PATTERN.test(id) ? await hostedDeployment(services.stores.sql, id) : undefined;
    if (!deployment) throw new ServiceError('not_found', 'This hosted page does not exist.');
    const visitor = visitorOf(services, exchange, id) ?? { id: randomUUID() };
    setVisitorCookie(services, exchange, id, admitVisitor(services, id, visitor, new Date()));
    response.locals.deployment = deployment;
    next();
  };
}

/** A link or a widget can ask for another language than the deployment has. */
function inLanguage(branding: PageBranding, wish: unknown): PageBranding {
  const language = BRANDING_LANGUAGES.find((known) => known === wish);
  return language ? { ...branding, language } : branding;
}

/** Sites on the allowlist can embed the hosted page, as they can send requests. */
function framesOf({ allowlist, authRequired }: HostedDeployment): string {
  if (allowlist.length === 0) return authRequired ? "'self'" : '*';
  return ["'self'", ...allowlist.flatMap(sourcesOf)].join(' ');
}

/** A host and its subdomains as CSP sources. IP addresses have no subdomains. */
function sourcesOf(host: string): string[] {
  return isIP(host) ? [`${host}:*`] : [`${host}:*`, `*.${host}:*`];
}
