import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on this machine that tells what it was asked for. */
export interface FileServer {
  readonly port: number;
  readonly url: string;
  /** Method and path of each request. */
  readonly asked: readonly string[];
  /** The next connection that ends. */
  nextClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Serves by path; what has no handler is 404. */
export async function startFileServer(handlers: Readonly<Record<string, Handler>>): Promise<FileServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const handler = handlers[new URL(request.url ?? '/', 'http://host').pathname];
    if (handler) handler(request, response);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A port is an AddressInfo for everything but pipes.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    nextClosed: () => new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve))),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** A handler that answers with a file. */
export function file(mediaType: string, content: string | Uint8Array): Handler {
  return (_, response) => void response.writeHead(200, { 'content-type': mediaType }).end(content);
}
