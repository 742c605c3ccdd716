import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import { releaseHead, releaseRequest } from '../../src/http/open-stream.ts';
import { startService } from '../support/service.ts';

/** Sends one request to a server, and returns the raw response. */
async function receive(respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET /a HTTP/1.1\r\nHost: a\r\nX-Secret: of the caller\r\nConnection: close\r\n\r\n');
  const received = await text(client);
  server.close();
  return received;
}

describe('an open stream', () => {
  it('keeps no text and no headers of its head, and can still write and end', async () => {
    let kept = {};
    const received = await receive((_request, response) => {
      response.setHeader('x-request-id', '1');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(Buffer.from('first'));
      releaseHead(response);
      // If Node renames its internals, this fails: see releaseHead.
      kept = { names: response.getHeaderNames(), text: (response as unknown as { _header: unknown })._header };
      expect(response.headersSent).toBe(true);
      expect(() => response.setHeader('late', '1')).toThrow('after they are sent');
      response.write('second');
      response.end();
    });
    expect(kept).toEqual({ names: [], text: 'sent' });
    expect(received).toContain('HTTP/1.1 200 OK\r\nx-request-id: 1\r\ncontent-type: text/event-stream\r\n');
    // Some versions of Node join the chunks of one turn of the event loop.
    expect(received).toMatch(/\r\n\r\n(5\r\nfirst\r\n6\r\nsecond|b\r\nfirstsecond)\r\n0\r\n\r\n$/);
  });

  it('keeps no credential of its request', async () => {
    let request: IncomingMessage | undefined;
    await receive((received, response) => {
      request = received;
      releaseRequest(received as Request);
      response.end();
    });
    expect(request?.headers).toEqual({});
    expect(request?.rawHeaders).toEqual([]);
    expect(request?.url).toBe('/a');
  });

  it('releases nothing from a head that is not sent', async () => {
    const received = await receive((_request, response) => {
      response.setHeader('x-request-id', '1');
      releaseHead(response);
      response.end();
    });
    expect(received).toContain('x-request-id: 1');
  });

  it('works without the internals of Node', () => {
    const response = { headersSent: true } as ServerResponse;
    releaseHead(response);
    expect(Object.keys(response)).toEqual(['headersSent']);
  });
});

describe('a feed of the service', () => {
  it.each(['/graphql', '/v1/runner/conversation/ID/stream'])('is open without its head: %s', async (path) => {
    const service = await startService();
    const started = await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const exchanges: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
    const listen = (message: unknown) => void exchanges.push(message as (typeof exchanges)[number]);
    channel('http.server.request.start').subscribe(listen);
    const isGraphql = path === '/graphql';
    const controller = new AbortController();
    const response = await fetch(service.url + path.replace('ID', started.body.conversation_id), {
      headers: { 'x-api-key': service.key, accept: 'text/event-stream', 'content-type': 'application/json' },
      ...(isGraphql && { method: 'POST', body: '{"query":"subscription { eventAppended { cursor } }"}' }),
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    channel('http.server.request.start').unsubscribe(listen);
    const kept = exchanges.map(({ request, response }) => [request.headers, response.getHeaderNames()]);
    expect(kept).toEqual([[{}, []]]);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-request-id')).not.toBeNull();
    controller.abort();
    await service.close();
  });
});
