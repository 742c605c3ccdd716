import { randomUUID } from 'node:crypto';
import express, { type RequestHandler, type Router } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { admitVisitor, type HostedDeployment, hostedDeployment } from '../domain/access/visitors.ts';
import type { Services } from '../domain/context.ts';
import { setVisitorCookie, visitorOf } from './cookies.ts';
import { tellLimit } from './limit-headers.ts';

/** Where the hosted pages are (SPEC 4.7 rule 4). */
const PATHS = ['/chat/:deployment_id', '/agent/:deployment_id'];

/** The hosted pages; `otherwise` answers other methods than GET. */
export function hostedPages(services: Services, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true });
  router.get(PATHS, admitVisitors(services), page).all(PATHS, otherwise);
  return router;
}

/**
 * Makes whoever opens a hosted page a visitor of its deployment. 120 of them a minute by address: a visitor costs
 * nothing to make.
 * @throws {ServiceError} not_found where the page is off, or there is no such deployment; rate_limited
 */
function admitVisitors(services: Services): RequestHandler {
  return async (request, response, next) => {
    const tell = tellLimit((name, value) => void response.setHeader(name, value));
    await countRequest(services.rateLimiter, RATE_LIMITS.anonymous, addressKey(request.ip ?? ''), tell);
    const id = String(request.params.deployment_id).toLowerCase();
    const deployment = UUID_PATTERN.test(id) ? await hostedDeployment(services.prisma, id) : undefined;
    if (!deployment) throw new ServiceError('not_found', 'There is no hosted page here.');
    const known = visitorOf(services, request, id) ?? { id: randomUUID() };
    setVisitorCookie(services, response, id, admitVisitor(services, id, known, new Date()));
    response.locals.deployment = deployment;
    next();
  };
}

const page: RequestHandler = (_request, response) => {
  const { id, name } = response.locals.deployment as HostedDeployment;
  response.setHeader('Cache-Control', 'no-store');
  response.type('html').send(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(name)}</title>
<h1>${escaped(name)}</h1>
<p>This browser may talk to this deployment for 24 hours: <code>POST /v2/runner/${id}/conversation</code>.</p>
</html>
`,
  );
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
