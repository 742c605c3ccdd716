import { type RequestListener, Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../contract/limits.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** Uploads have the longest time limit of all requests. */
const REQUEST_TIMEOUT_MS = (LIMITS.uploadSeconds + 30) * 1_000;

/** How often the server looks for requests over their time limit. */
const CHECK_INTERVAL_MS = 5_000;

/** The HTTP server of the service: with time limits, and without `100 Continue` before a request is identified. */
export function createHttpServer(app: RequestListener, options: { readonly keepAliveTimeout?: number } = {}): Server {
  const handler = oneAtATime(app);
  const server = new ServiceServer(
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

class ServiceServer extends Server {
  readonly #connections = new Set<Socket>();

  constructor(options: ServerOptions, handler: RequestListener) {
    super(options, handler);
    this.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** Node does not count connections as idle on which no request has begun. Browsers open such connections ahead. */
  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
  }
}
