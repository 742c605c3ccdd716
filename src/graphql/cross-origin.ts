import cors from 'cors';
import type { RequestHandler } from 'express';
import { isPublicOrigin } from '../domain/access/anonymous.ts';
import type { Services } from '../domain/context.ts';

/** What a page's script may read of an answer beside its body. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'x-conversation-id',
  'x-run-id',
  'ETag',
  'Idempotency-Replayed',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/** Anybody's pages may read what is public. */
export const anyOrigin: RequestHandler = cors({
  origin: '*',
  methods: ['GET', 'HEAD'],
  exposedHeaders: EXPOSED_HEADERS,
});

const allowed = cors({
  origin: true,
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: 600,
});

/**
 * Pages of other origins may talk to the service where a public deployment has them on its allowlist (WIRE 4). They
 * never come with cookies, so this opens nothing but what their own words could open.
 */
export function allowlistedOrigins({ sql }: Services): RequestHandler {
  return async (request, response, next) => {
    const origin = request.get('origin');
    response.vary('Origin');
    if (origin !== undefined && (await isPublicOrigin(sql, origin))) allowed(request, response, next);
    else next();
  };
}
