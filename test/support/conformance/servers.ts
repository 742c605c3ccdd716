import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { countUnrouted } from '../../../src/http/unrouted.ts';
import { Pipeline } from '../../../src/operation/pipeline.ts';
import { reportErrors } from '../../../src/rest/router.ts';
import { messageRouter } from '../../../src/transports/mcp/router.ts';
import type { TestService } from '../service.ts';
import { fixtureServer } from './fixture-server.ts';

export interface OpenServer {
  readonly url: string;
  close(): Promise<void>;
}

async function listen(listener: RequestListener): Promise<OpenServer> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The suite cannot send an API key, so this proxy adds it. */
export function startKeyProxy(target: string, key: string): Promise<OpenServer> {
  return listen((request, response) => {
    const { method = 'GET', headers, url = '/' } = request;
    const forwarded = httpRequest(new URL(url, target), {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    forwarded.on('response', (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
}

/** The transport of the service with the tools of the suite. */
export function startFixtureServer({ service: { services } }: TestService): Promise<OpenServer> {
  const pipeline = new Pipeline(services, { timeoutMs: 30_000, maxCost: 20_000 });
  const app = express();
  app.locals.countUnrouted = countUnrouted(services);
  app.use(
    messageRouter(pipeline, () => ({ isStreamed: false, server: fixtureServer })),
    reportErrors(services),
  );
  return listen(app);
}
