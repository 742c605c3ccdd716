import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { ServiceError } from '../contract/errors.ts';

/** How long a process that is told to stop still takes requests: milliseconds. */
export interface DeparturePace {
  /** Everything goes on while `/readyz` says that it will end, for balancers that ask it. */
  readonly delayMs: number;
  /** Then nothing new is listened to, and requests on connections that are open are taken for so long. */
  readonly keptMs: number;
}

type Stage = 'here' | 'announced' | 'deaf' | 'gone';

/** Longest that it is looked for a moment without work. */
const QUIET_ROUNDS = 200;
const QUIET_MS = 0.3;
const LOOK_MS = 50;

/** The way out of a process behind a balancer, without a request that fails. */
export class Departure {
  #stage: Stage = 'here';

  /** Whether it wants requests. */
  get accepting(): boolean {
    return this.#stage === 'here';
  }

  /** Resolves once it listens no more; connections that are open stay so, and are told to close with their next answer. */
  async announce(server: Server | undefined, delayMs: number): Promise<void> {
    this.#stage = 'announced';
    if (delayMs > 0) await pause(delayMs);
    await quietRound();
    // Its own `close` would also end idle connections, over which a balancer may be sending.
    if (server) NetServer.prototype.close.call(server);
    this.#stage = 'deaf';
  }

  /** Takes nothing more, once all connections have gone or `keptMs` are over. */
  async leave(server: Server | undefined, keptMs: number): Promise<void> {
    const deadline = performance.now() + keptMs;
    while (performance.now() < deadline && (await connectionsOf(server)) > 0) await pause(LOOK_MS);
    this.#stage = 'gone';
    server?.closeIdleConnections();
  }

  /** Tells connections to close, and refuses what still comes once it is gone. */
  readonly farewell: RequestHandler = (_request, response, next) => {
    if (this.#stage === 'deaf' || this.#stage === 'gone') response.setHeader('Connection', 'close');
    next();
  };

  readonly whileHere: RequestHandler = (_request, _response, next) => {
    if (this.#stage !== 'gone') return next();
    throw new ServiceError('unavailable', 'The service is shutting down. Try again shortly.');
  };
}

/**
 * Connections that the system has taken, and this process has not, are lost when it stops listening. So it does that
 * behind a round of the event loop in which there was nothing to do.
 */
async function quietRound(): Promise<void> {
  for (let round = 0; round < QUIET_ROUNDS; round += 1) {
    const began = performance.now();
    await nextRound();
    if (performance.now() - began < QUIET_MS) return;
  }
}

function connectionsOf(server: Server | undefined): Promise<number> {
  return new Promise((resolve) => {
    if (!server) return resolve(0);
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
