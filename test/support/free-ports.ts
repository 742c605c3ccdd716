import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Systems give outgoing connections ports from 32,768 on. */
const FIRST = 20_000;
const LAST = 32_000;

/**
 * Free ports for something that stops and listens on the same port again. No outgoing connection gets such a port meanwhile:
 * a client that tries to connect to it could even be connected to itself.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere));
  return Promise.all(
    servers.map(async ({ port, server }) => {
      await new Promise((resolve) => server.close(resolve));
      return port;
    }),
  );
}

async function listenSomewhere(): Promise<{ readonly port: number; readonly server: Server }> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer().listen(port, '127.0.0.1');
    const isTaken = await once(server, 'listening').then(
      () => false,
      (error) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return true;
      },
    );
    if (!isTaken) return { port, server };
  }
}
