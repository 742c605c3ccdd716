import { EventEmitter, once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A load balancer without buffers in front of processes that a test kills. */
export interface FailoverProxy {
  readonly url: string;
  /** How many requests had no complete response because their process was killed. */
  readonly cuts: number;
  /** How many requests went to another process, because a killed one refused the connection. */
  readonly failovers: number;
  /** Resolves when this process has received the next request, and before it can have sent a response. */
  nextRequest(index: number, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

interface Upstream {
  readonly ports: readonly number[];
  /** Whether the test has killed this process and not started it again. Only then a lost request is no failure. */
  isDown(index: number): boolean;
  /** The API key of each request: its sender has no key. */
  readonly key: string;
}

export async function startFailoverProxy({ ports, isDown, key }: Upstream): Promise<FailoverProxy> {
  const events = new EventEmitter();
  let requests = 0;
  let cuts = 0;
  let failovers = 0;

  function forward(request: IncomingMessage, response: ServerResponse, body: Buffer, turn: number, tried = 1): void {
    const index = turn % ports.length;
    const { method, headers, url: path } = request;
    const forwarded = httpRequest({
      ...{ host: '127.0.0.1', port: ports[index], path, method, agent: false },
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    const lose = () => {
      // The client closed the connection itself.
      if (response.destroyed) return;
      if (isDown(index)) cuts += 1;
      response.destroy();
    };
    forwarded.once('finish', () => events.emit(String(index)));
    forwarded.once('response', (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.once('error', lose).pipe(response);
    });
    forwarded.once('error', (error: NodeJS.ErrnoException) => {
      const isRefused = error.code === 'ECONNREFUSED' && isDown(index) && tried < ports.length;
      if (!isRefused) return lose();
      failovers += 1;
      forward(request, response, body, turn + 1, tried + 1);
    });
    response.once('close', () => forwarded.destroy());
    forwarded.end(body);
  }

  const server = createServer(async (request, response) => {
    const turn = requests;
    requests += 1;
    forward(request, response, await buffer(request), turn);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    get failovers() {
      return failovers;
    },
    nextRequest: (index, signal) => once(events, String(index), { signal }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
