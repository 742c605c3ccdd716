import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';

/** A request of the attacker. */
export interface Shot {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'HEAD';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Buffer;
}

export interface Pace {
  readonly perSecond: number;
  /** Requests in flight at the same time. */
  readonly concurrency: number;
}

const PACE: Pace = { perSecond: 100, concurrency: 16 };

/** How long one request may wait for its response. */
const RESPONSE_MS = 30_000;

/** One address on this machine that sends requests until the attack is over. It never throws because of a response. */
export class Attacker {
  readonly url: string;
  readonly address: string;
  /** Responses by status, and requests without a response by the code of their error. */
  readonly results = new Map<string, number>();
  readonly #over: AbortSignal;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();

  constructor(url: string, address: string, over: AbortSignal) {
    this.url = url;
    this.address = address;
    this.#over = over;
    // Each connection and each request listens for the end.
    setMaxListeners(0, over);
    this.#agent = new Agent({
      localAddress: address,
      connections: 64,
      headersTimeout: RESPONSE_MS,
      bodyTimeout: RESPONSE_MS,
    });
  }

  get isOver(): boolean {
    return this.#over.aborted;
  }

  /** Sends a request and reads its response. Undefined: the connection failed. */
  async send(shot: Shot): Promise<{ readonly status: number; readonly text: string } | undefined> {
    try {
      const { statusCode, body } = await this.#agent.request(this.#options(shot));
      const text = await body.text();
      this.#count(String(statusCode));
      return { status: statusCode, text };
    } catch (error) {
      if (!this.isOver) this.#count(codeOf(error));
      return undefined;
    }
  }

  /** Sends a request whose JSON response the attack needs. @throws if it has another status than 2xx */
  async need<T>(shot: Shot): Promise<T> {
    const response = await this.send(shot);
    if (!response || response.status >= 300) {
      throw new Error(`The attack cannot begin: ${shot.path} has ${response?.status} ${response?.text}`);
    }
    return JSON.parse(response.text) as T;
  }

  /** Sends requests at a steady pace until the attack is over. A request that would exceed the concurrency is left out. */
  async repeat(shoot: (number: number) => Promise<unknown>, pace: Partial<Pace> = {}): Promise<void> {
    const { perSecond, concurrency } = { ...PACE, ...pace };
    const startedAt = performance.now();
    const open = new Set<Promise<unknown>>();
    for (let number = 1; !this.isOver; number += 1) {
      const waitMs = startedAt + (number * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs);
      while (open.size >= concurrency && !this.isOver) await Promise.race([...open, pause(50)]);
      if (this.isOver) break;
      const shot = shoot(number).finally(() => open.delete(shot));
      open.add(shot);
    }
  }

  /** Opens connections and keeps them until the attack is over. One that the service closes is opened again. */
  async hold(count: number, begin: (socket: Socket) => void): Promise<void> {
    const keep = async () => {
      while (!this.isOver) {
        await this.#connection(begin);
        // A service that refuses at once is not flooded with connections.
        await pause(100);
      }
    };
    await Promise.all(Array.from({ length: count }, keep));
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#agent.destroy();
  }

  /** Resolves when the connection is closed. */
  #connection(begin: (socket: Socket) => void): Promise<void> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: this.address });
      this.#sockets.add(socket);
      const stop = () => socket.destroy();
      this.#over.addEventListener('abort', stop, { once: true });
      socket.once('connect', () => begin(socket));
      socket.once('data', (bytes) => this.#count(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1] ?? 'data'));
      socket.on('error', (error) => !this.isOver && this.#count(codeOf(error)));
      socket.once('close', () => {
        this.#over.removeEventListener('abort', stop);
        this.#sockets.delete(socket);
        resolve();
      });
    });
  }

  #options({ method = 'GET', path, headers = {}, body }: Shot): Dispatcher.RequestOptions & { origin: string } {
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    return {
      origin: this.url,
      method,
      path,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      body: typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : (body ?? null),
      signal: this.#over,
    };
  }

  #count(result: string): void {
    this.results.set(result, (this.results.get(result) ?? 0) + 1);
  }
}

function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: string; readonly name?: string };
  return code ?? name ?? 'error';
}
