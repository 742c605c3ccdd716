import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy that lets the service handle a request, and then closes the connection without its response. */
export interface LosingProxy {
  readonly url: string;
  /** How many responses were lost. */
  readonly lost: number;
  loseNext(): void;
  close(): Promise<void>;
}

export async function startLosingProxy(target: string): Promise<LosingProxy> {
  let isLosing = false;
  let lost = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { 'idempotency-key': key, authorization = '' } = request.headers;
    const headers = {
      authorization,
      'content-type': 'application/json',
      ...(typeof key === 'string' && { 'idempotency-key': key }),
    };
    const body = new Uint8Array(await buffer(request));
    const result = await fetch(`${target}${request.url}`, { method: 'POST', headers, body });
    const text = await result.text();
    if (isLosing) {
      isLosing = false;
      lost += 1;
      request.socket.destroy();
    } else response.writeHead(result.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lost() {
      return lost;
    },
    loseNext() {
      isLosing = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
