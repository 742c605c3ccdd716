import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as an endpoint gets it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: { readonly id: string; readonly type: string; readonly timestamp: string; readonly data: Data };
  readonly at: number;
}

type Data = Readonly<Record<string, unknown>>;

/** Answers a message; 200 at once unless a test says otherwise. */
export type Answering = (response: ServerResponse, received: Received) => void;

/** What a webhook's owner runs: an endpoint on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How messages are answered from now on. */
  answer(how: Answering): void;
  /** The messages so far, once there are so many. */
  atLeast(count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answering: Answering = (response) => void response.writeHead(200).end();
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await text(request);
    const one = { path: request.url ?? '', headers: request.headers, body, message: JSON.parse(body), at };
    received.push(one);
    answering(response, one);
    for (const look of waiting) look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A port is an AddressInfo for everything but pipes.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer(how) {
      answering = how;
    },
    atLeast: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve([...received]);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Answers with this status, and nothing else. */
export function withStatus(status: number, headers: Record<string, string> = {}): Answering {
  return (response) => void response.writeHead(status, headers).end('a body that nobody keeps');
}

/** The headers that a receiver verifies a message by. */
export function signedHeaders({ headers }: Received): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}
