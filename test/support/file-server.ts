import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A local server that records its requests. */
export interface FileServer {
  readonly port: number;
  readonly url: string;
  /** Method and path of each request. */
  readonly requests: readonly string[];
  /** Resolves when the next new connection closes. */
  nextClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Serves by path. A path without a handler is 404. */
export async function startFileServer(handlers: Readonly<Record<string, Handler>>): Promise<FileServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const handler = handlers[new URL(request.url ?? '/', 'http://host').pathname];
    if (handler) handler(request, response);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Only pipes have an address other than AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests: requests,
    nextClosed: () => new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve))),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** A handler that responds with a file. */
export function file(mediaType: string, content: string | Uint8Array): Handler {
  return (_, response) => void response.writeHead(200, { 'content-type': mediaType }).end(content);
}
