import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import express, { type RequestHandler, type Router } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { admitVisitor, type HostedDeployment, hostedDeployment } from '../domain/access/visitors.ts';
import type { Services } from '../domain/context.ts';
import { setVisitorCookie, visitorOf } from '../graphql/cookies.ts';
import { tellLimit } from '../graphql/limit-headers.ts';
import type { SendPage } from './document.ts';

/** The hosted pages (SPEC 4.7 rule 4); `otherwise` answers other methods than GET. */
export function hostedPages(services: Services, send: SendPage, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true });
  for (const name of ['chat', 'agent'] as const) {
    router
      .get(`/${name}/:deployment_id`, admitVisitors(services), (_request, response) => {
        const deployment = response.locals.deployment as HostedDeployment;
        const { id: deploymentId, name: title, kind, triggerRequired } = deployment;
        const data = { deploymentId, name: title, kind, triggerRequired };
        send(response, name, { title, data, frameAncestors: framesOf(deployment) });
      })
      .all(`/${name}/:deployment_id`, otherwise);
  }
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

/** Sites that may talk to a deployment may show its page too: as WIRE 4 has it for their requests. */
function framesOf({ allowlist, authRequired }: HostedDeployment): string {
  if (allowlist.length === 0) return authRequired ? "'self'" : '*';
  return ["'self'", ...allowlist.flatMap(sourcesOf)].join(' ');
}

/** A host and what is below it, as a policy names them; below an address there is nothing. */
function sourcesOf(host: string): string[] {
  return isIP(host) ? [`${host}:*`] : [`${host}:*`, `*.${host}:*`];
}
