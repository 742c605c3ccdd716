import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import express, { type Response } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpServer } from '../../src/http/server.ts';
import { GracefulShutdown } from '../../src/ops/graceful-shutdown.ts';
import { until } from '../support/until.ts';

const OPEN_CONNECTIONS_MS = 1_000;
const GRACE_MS = 10_000;

let shutdown: GracefulShutdown;
let server: Server;
/** Responses to `/slow` that the server has not sent yet. */
let waiting: Response[];
/** One connection, like a proxy that reuses it. */
let proxy: Agent;

beforeEach(async () => {
  shutdown = new GracefulShutdown();
  waiting = [];
  proxy = new Agent({ keepAlive: true, maxSockets: 1 });
  const app = express()
    .use(shutdown.closeConnections, shutdown.rejectAfterShutdown)
    .get('/slow', (_request, response) => void waiting.push(response))
    .get('/fast', (_request, response) => void response.send('fast'));
  server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  proxy.destroy();
  server.closeAllConnections();
});

async function get(path: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  return responseTo(path, port);
}

async function responseTo(path: string, port: number): Promise<IncomingMessage> {
  const [response] = await once(request({ host: '127.0.0.1', port, path, agent: proxy }).end(), 'response');
  return response as IncomingMessage;
}

async function slowResponse(): Promise<Response> {
  await until(async () => waiting.length > 0);
  return waiting.pop() as Response;
}

describe('a graceful shutdown with a proxy in front that reuses connections', () => {
  it('closes the connection of a request that started before it', async () => {
    const pending = get('/slow');
    const response = await slowResponse();
    await shutdown.stopListening(server, 0);
    response.send('done');
    expect((await pending).headers.connection).toBe('close');
  });

  it('accepts requests on the connection of a stream that started before it', async () => {
    const { port } = server.address() as AddressInfo;
    const pending = get('/slow');
    const stream = await slowResponse();
    stream.write('first');
    const reading = text(await pending);
    await shutdown.stopListening(server, 0);
    const stopping = shutdown.stopAccepting(server, OPEN_CONNECTIONS_MS, GRACE_MS);
    await pause(OPEN_CONNECTIONS_MS * 0.8);
    stream.end('last');
    expect(await reading).toBe('firstlast');
    // After the time that started with the shutdown, and before the one that started with the end of the stream.
    await pause(OPEN_CONNECTIONS_MS * 0.5);
    const next = await responseTo('/fast', port);
    expect({ status: next.statusCode, connection: next.headers.connection }).toEqual({
      status: 200,
      connection: 'close',
    });
    next.resume();
    await stopping;
  });

  it('accepts the connections that the operating system has accepted', async () => {
    const { port } = server.address() as AddressInfo;
    const responses = Array.from({ length: 50 }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.end('GET /fast HTTP/1.1\r\nHost: service\r\n\r\n');
      return (await text(socket).catch(String)).split('\r\n')[0];
    });
    await shutdown.stopListening(server, 0);
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['HTTP/1.1 200 OK']));
  });

  it('lets a response end that takes longer than a second', async () => {
    const pending = get('/slow');
    const response = await slowResponse();
    await shutdown.stopListening(server, 0);
    await shutdown.stopAccepting(server, 0, GRACE_MS);
    const closing = shutdown.closeRemaining(server, 0, GRACE_MS);
    await pause(1_500);
    response.send('done');
    expect(await text(await pending)).toBe('done');
    await closing;
  });

  it('does not wait for connections on which no request has begun', async () => {
    const { port } = server.address() as AddressInfo;
    const accepted: Socket[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const [unused, begun] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    const ended = Promise.all([unused, begun].map(async (socket) => (await text(socket)).split('\r\n')[0]));
    begun.write('GET /fast HTTP/1.1\r\n');
    await until(async () => accepted.length === 2 && accepted.some(({ bytesRead }) => bytesRead > 0));
    await shutdown.stopListening(server, 0);
    await shutdown.stopAccepting(server, 0, GRACE_MS);
    const closing = shutdown.closeRemaining(server, 0, GRACE_MS);
    await once(unused, 'close');
    begun.write('Host: service\r\n\r\n');
    expect(await ended).toEqual(['', expect.stringMatching(/^HTTP/)]);
    const startedAt = performance.now();
    await closing;
    expect(performance.now() - startedAt).toBeLessThan(GRACE_MS / 2);
  });

  it('responds with 503 to requests without a response at the end of the grace period, and their handlers change nothing', async () => {
    const pending = get('/slow');
    const response = await slowResponse();
    await shutdown.stopListening(server, 0);
    await shutdown.stopAccepting(server, OPEN_CONNECTIONS_MS, 100);
    await shutdown.closeRemaining(server, OPEN_CONNECTIONS_MS, 100);
    const received = await pending;
    expect([received.statusCode, received.headers.connection]).toEqual([503, 'close']);
    expect(received.headers['retry-after']).toBe('2');
    response.send('too late');
    expect(JSON.parse(await text(received)).error).toMatchObject({ type: 'api_error', code: 'unavailable' });
  });
});
