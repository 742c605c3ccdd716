import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as an endpoint receives it. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: { readonly id: string; readonly type: string; readonly timestamp: string; readonly data: Data };
  readonly at: number;
}

type Data = Readonly<Record<string, unknown>>;

/** Responds to a message. The default is 200 at once. */
export type Responder = (response: ServerResponse, received: ReceivedMessage) => void;

/** A webhook receiver on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedMessage[];
  /** Sets the response to later messages. */
  respondWith(next: Responder): void;
  /** Resolves with all messages once at least this many have arrived. */
  waitForCount(count: number): Promise<readonly ReceivedMessage[]>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  const waiting = new Set<() => void>();
  let responder: Responder = (response) => void response.writeHead(200).end();
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await text(request);
    const message = { path: request.url ?? '', headers: request.headers, body, message: JSON.parse(body), at };
    received.push(message);
    responder(response, message);
    for (const check of waiting) check();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only pipes have an address other than AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    respondWith(next) {
      responder = next;
    },
    waitForCount: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve([...received]);
        };
        waiting.add(check);
        check();
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Responds with this status. */
export function withStatus(status: number, headers: Record<string, string> = {}): Responder {
  return (response) => void response.writeHead(status, headers).end('an ignored body');
}

/** The headers with which a receiver verifies a message. */
export function signedHeaders({ headers }: ReceivedMessage): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}
