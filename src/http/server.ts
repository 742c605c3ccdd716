import { createServer, type RequestListener, type Server } from 'node:http';
import { LIMITS } from '../contract/limits.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** Uploads have the longest time limit of all requests. */
const REQUEST_TIMEOUT_MS = (LIMITS.uploadSeconds + 30) * 1_000;

/** How often the server looks for requests over their time limit. */
const CHECK_INTERVAL_MS = 5_000;

/** The HTTP server of the service: with time limits, and without `100 Continue` before a request is identified. */
export function createHttpServer(app: RequestListener, options: { readonly keepAliveTimeout?: number } = {}): Server {
  const handler = oneAtATime(app);
  const server = createServer(
    {
      ...options,
      headersTimeout: LIMITS.headersSeconds * 1_000,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    handler,
  );
  // Without a listener, Node asks for the body before the app sees the request.
  return server.on('checkContinue', handler);
}
