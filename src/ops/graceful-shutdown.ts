import { type Server, STATUS_CODES } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { ERROR_CODES, ServiceError, UNAVAILABLE_MS } from '../contract/errors.ts';

/** How long a stopping process still accepts requests. */
export interface ShutdownTimes {
  /** First, while `/readyz` returns 503, new connections are still accepted. For load balancers that poll `/readyz`. */
  readonly delayMs: number;
  /** Then, while the server no longer listens, requests on open connections are still accepted. */
  readonly openConnectionsMs: number;
}

type Stage = 'accepting' | 'announced' | 'not listening' | 'stopped';

/** Limit: how long the event loop can be too busy until the server stops listening. */
const BACKLOG_MS = 2_000;

/** The first round can be the end of one that started earlier. */
const QUIET_ROUNDS = 2;

/** A longer round has handled requests, and connections can have arrived meanwhile. */
const QUIET_ROUND_MS = 0.3;

const CONNECTION_POLL_MS = 50;

/** How long the last responses may take to reach the operating system. */
const LAST_WRITES_MS = 200;

const SHUTTING_DOWN = 'The service is shutting down. Try again shortly.';

/** Stops a process that has a load balancer in front, without a failed request. */
export class GracefulShutdown {
  #stage: Stage = 'accepting';
  /** When the last response ended that left its connection open, in milliseconds of `performance.now()`. */
  #leftOpenAt = Number.NEGATIVE_INFINITY;
  /** Limit: the requests in progress. */
  readonly #responses = new Set<Response>();

  get accepting(): boolean {
    return this.#stage === 'accepting';
  }

  /** Makes `/readyz` return 503, and stops listening after `delayMs`. Open connections stay open. */
  async stopListening(server: Server | undefined, delayMs: number): Promise<void> {
    this.#stage = 'announced';
    if (delayMs > 0) await pause(delayMs);
    if (server) await emptyBacklog(server);
    // The `close` of an HTTP server would also close idle connections, on which a load balancer may be sending a request.
    if (server) NetServer.prototype.close.call(server);
    this.#stage = 'not listening';
  }

  /**
   * Waits until all connections are closed, at most `openConnectionsMs`. Then it rejects new requests. A stream that
   * started earlier leaves its connection open at its end, and the load balancer can use the connection again, so the
   * time starts again then. It never lasts longer than `graceMs`.
   */
  async stopAccepting(server: Server | undefined, openConnectionsMs: number, graceMs: number): Promise<void> {
    const startedAt = performance.now();
    const isOver = (now: number) =>
      now >= Math.max(startedAt, this.#leftOpenAt) + openConnectionsMs || now >= startedAt + graceMs;
    while (!isOver(performance.now()) && (await connectionsOf(server)) > 0) await pause(CONNECTION_POLL_MS);
    this.#stage = 'stopped';
    server?.closeIdleConnections();
  }

  /**
   * Waits until the remaining responses have ended, at most `graceMs`. Then it responds with 503 to requests without a
   * response, and closes all connections.
   */
  async closeRemaining(server: Server | undefined, openConnectionsMs: number, graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    while (performance.now() < deadline && (await connectionsOf(server)) > 0) {
      await pause(CONNECTION_POLL_MS);
      if (performance.now() >= this.#leftOpenAt + openConnectionsMs) server?.closeIdleConnections();
    }
    const unanswered = [...this.#responses].filter(({ headersSent }) => !headersSent);
    const answered = Promise.all(unanswered.map(answerUnavailable));
    await Promise.race([answered, pause(LAST_WRITES_MS, undefined, { ref: false })]);
    server?.closeAllConnections();
    // Ends the server's timer too. With it, the whole service would stay in memory.
    server?.close();
  }

  /** Asks clients to close their connections once the server no longer listens. */
  readonly closeConnections: RequestHandler = (_request, response, next) => {
    const isLeaving = () => this.#stage === 'not listening' || this.#stage === 'stopped';
    let closes = false;
    // The stage counts when the headers are sent: a turn can start long before.
    const writeHead = response.writeHead;
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      closes = isLeaving();
      if (closes) response.setHeader('Connection', 'close');
      return writeHead.apply(response, head);
    }) as typeof writeHead;
    this.#responses.add(response);
    response.once('close', () => {
      this.#responses.delete(response);
      if (isLeaving() && !closes) this.#leftOpenAt = performance.now();
    });
    next();
  };

  readonly rejectAfterShutdown: RequestHandler = (_request, _response, next) => {
    if (this.#stage !== 'stopped') return next();
    throw new ServiceError('unavailable', SHUTTING_DOWN);
  };
}

/**
 * Writes a response without the handler of the request, which still works on it. The handler then sees a connection that
 * its client has closed.
 */
function answerUnavailable(response: Response): Promise<void> {
  const { socket, req: request } = response;
  if (!socket?.writable) return Promise.resolve();
  const { status, type } = ERROR_CODES.unavailable;
  const error = { type, code: 'unavailable', message: SHUTTING_DOWN, param: null };
  const body = JSON.stringify({ error, request_id: request.id });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Retry-After: ${UNAVAILABLE_MS / 1_000}`,
    ...(request.id ? [`X-Request-Id: ${request.id}`] : []),
  ];
  return new Promise((resolve) => socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => resolve()));
}

/**
 * Waits for short rounds of the event loop without a new connection. Connections in the backlog of the operating system are
 * lost when the server stops listening, and Node can accept one in each round.
 */
async function emptyBacklog(server: Server): Promise<void> {
  let quiet = 0;
  const onConnection = () => {
    quiet = -1;
  };
  server.on('connection', onConnection);
  const deadline = performance.now() + BACKLOG_MS;
  while (quiet < QUIET_ROUNDS && performance.now() < deadline) {
    const startedAt = performance.now();
    await nextRound();
    quiet = performance.now() - startedAt > QUIET_ROUND_MS ? 0 : quiet + 1;
  }
  server.off('connection', onConnection);
}

function connectionsOf(server: Server | undefined): Promise<number> {
  return new Promise((resolve) => {
    if (!server) return resolve(0);
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}
