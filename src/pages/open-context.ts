import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { addressKey, countRequest, type RateLimit } from '../domain/access/rate-limits.ts';
import type { PublicContext, Services } from '../domain/context.ts';
import { exchangeOf } from '../http/exchange.ts';
import { reportLimit } from '../operation/rate-limits.ts';

/** Counts the request by IP address. @throws {ServiceError} rate_limited */
export async function openContext(services: Services, request: Request, limit: RateLimit): Promise<PublicContext> {
  const exchange = exchangeOf(request);
  const { requestId: id, address } = exchange;
  const report = reportLimit(exchange);
  await countRequest(services.stores.rateLimiter, limit, addressKey(address), report);
  const facts = { id, address, userAgent: exchange.header('user-agent'), claim: undefined, reportLimit: report };
  return { services, request: facts, now: () => new Date(), newId: randomUUID };
}
