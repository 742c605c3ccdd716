import type { Request, RequestHandler } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { RequestCounter, reportLimit } from '../operation/rate-limits.ts';
import { exchangeOf } from './exchange.ts';

/** Counts a request that no route handles, by IP address. @throws {ServiceError} rate_limited */
export type CountUnrouted = (request: Request) => Promise<void>;

export function countUnrouted(services: ConstructorParameters<typeof RequestCounter>[0]): CountUnrouted {
  return (request) => {
    const exchange = exchangeOf(request);
    return new RequestCounter(services, {
      address: exchange.address,
      reportLimit: reportLimit(exchange),
    }).countUnrouted();
  };
}

/** Counts a request that is rejected before a route handles it. `createApp` has set the counter, because a router creates its handlers before it knows its app. */
export function countRejected(request: Request): Promise<void> {
  const { countUnrouted } = request.app.locals as { readonly countUnrouted: CountUnrouted };
  return countUnrouted(request);
}

/** Responds to OPTIONS with the methods of a path, and to other methods with 405. The body is not read. */
export function rejectMethod(allow: string): RequestHandler {
  return async (request, response) => {
    response.setHeader('Allow', allow);
    await countRejected(request);
    if (request.method === 'OPTIONS') {
      response.status(204).end();
      return;
    }
    throw new ServiceError('method_not_allowed', `This path accepts ${allow}.`);
  };
}

/** The last handler: responds to unknown paths with 404. The body is not read. */
export const rejectUnknownPath: RequestHandler = async (request) => {
  await countRejected(request);
  throw new ServiceError('not_found', `The path ${request.path} does not exist.`);
};
