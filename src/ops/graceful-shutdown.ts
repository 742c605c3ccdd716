import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { ServiceError } from '../contract/errors.ts';

/** How long a stopping process still accepts requests. */
export interface ShutdownTimes {
  /** First, while `/readyz` returns 503, new connections are still accepted. For load balancers that poll `/readyz`. */
  readonly delayMs: number;
  /** Then, while the server no longer listens, requests on open connections are still accepted. */
  readonly openConnectionsMs: number;
}

type Stage = 'accepting' | 'announced' | 'not listening' | 'stopped';

/** Limit: rounds of the event loop to wait for an idle one. */
const MAX_ROUNDS = 200;

/** A shorter round counts as idle. */
const IDLE_ROUND_MS = 0.3;

const CONNECTION_POLL_MS = 50;

/** Stops a process that has a load balancer in front, without a failed request. */
export class GracefulShutdown {
  #stage: Stage = 'accepting';

  get accepting(): boolean {
    return this.#stage === 'accepting';
  }

  /** Makes `/readyz` return 503, and stops listening after `delayMs`. Open connections stay open. */
  async stopListening(server: Server | undefined, delayMs: number): Promise<void> {
    this.#stage = 'announced';
    if (delayMs > 0) await pause(delayMs);
    await idleRound();
    // The `close` of an HTTP server would also close idle connections, on which a load balancer may be sending a request.
    if (server) NetServer.prototype.close.call(server);
    this.#stage = 'not listening';
  }

  /** Waits until all connections are closed, at most `openConnectionsMs`. Then it rejects new requests. */
  async stopAccepting(server: Server | undefined, openConnectionsMs: number): Promise<void> {
    const deadline = performance.now() + openConnectionsMs;
    while (performance.now() < deadline && (await connectionsOf(server)) > 0) await pause(CONNECTION_POLL_MS);
    this.#stage = 'stopped';
    server?.closeIdleConnections();
  }

  /** Asks clients to close their connections once the server no longer listens. */
  readonly closeConnections: RequestHandler = (_request, response, next) => {
    if (this.#stage === 'not listening' || this.#stage === 'stopped') response.setHeader('Connection', 'close');
    next();
  };

  readonly rejectAfterShutdown: RequestHandler = (_request, _response, next) => {
    if (this.#stage !== 'stopped') return next();
    throw new ServiceError('unavailable', 'The service is shutting down. Try again shortly.');
  };
}

/**
 * Waits for a round of the event loop without work. Connections in the backlog of the operating system are lost when the
 * server stops listening, and an idle round shows that the backlog is empty.
 */
async function idleRound(): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const startedMs = performance.now();
    await nextRound();
    if (performance.now() - startedMs < IDLE_ROUND_MS) return;
  }
}

function connectionsOf(server: Server | undefined): Promise<number> {
  return new Promise((resolve) => {
    if (!server) return resolve(0);
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
