import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { closeUnread } from '../../src/http/body/close-unread.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { RawClient } from '../support/raw-client.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const UNKNOWN_KEY = { 'X-Api-Key': `sk_live_${'0'.repeat(43)}` };
const CHAT = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
const valid = () => ({ 'X-Api-Key': service.keys.live });

/** Every transport, with the status of a request whose key is not valid. */
const TRANSPORTS: readonly (readonly [method: string, path: string, status: number])[] = [
  ['POST', CHAT, 401],
  ['POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, 401],
  ['POST', '/v1/resources', 401],
  ['GET', '/v1/resources', 401],
  ['POST', `/v1/runner/${DEMO_CHAT_ID}/ui`, 401],
  ['POST', '/v1/x/anything', 401],
  ['GET', '/v1/x/openapi.json', 401],
  ['POST', '/mcp', 401],
  ['POST', '/graphql', 401],
  ['POST', '/graphql?a=b', 401],
  ['POST', '/graphql/stream', 401],
  ['POST', '/graphql/stream?token=none', 401],
  ['PUT', '/graphql/stream', 401],
];

/** Paths and methods that no transport handles. */
const UNROUTED: readonly (readonly [method: string, path: string, status: number])[] = [
  ['POST', '/nowhere', 404],
  ['PROPFIND', '/nowhere', 404],
  ['DELETE', CHAT, 405],
  ['POST', '/sign-in/oidc', 405],
  ['POST', '/dashboard', 405],
  ['POST', '/', 405],
  ['POST', '/openapi.json', 405],
  ['POST', '/healthz', 405],
  ['DELETE', '/mcp', 405],
  ['PATCH', '/v1/uploads/file_1', 405],
];

/** Others that read no body. */
const OTHERS: readonly (readonly [method: string, path: string, status: number])[] = [
  ['PUT', '/v1/uploads/file_1?signature=x', 403],
  ['GET', '/', 200],
  ['GET', '/healthz', 200],
];

describe('a response does not wait for a body that nobody may send', () => {
  it.each([...TRANSPORTS, ...UNROUTED, ...OTHERS])('%s %s: %i', async (method, path, status) => {
    const client = await RawClient.open(service.url);
    client.head(method, path, { ...UNKNOWN_KEY, ...JSON_TYPE, 'Content-Length': 300 * MIB });
    const response = await client.response();
    expect([response.status, response.headers.get('connection')]).toEqual([status, 'close']);
    await client.closed();
    client.socket.destroy();
  });

  it.each(UNROUTED)('%s %s is counted by address', async (method, path) => {
    const client = await RawClient.open(service.url);
    const headers = async () => {
      client.forget();
      return (await client.head(method, path, {}).response()).headers;
    };
    const [first, second] = [await headers(), await headers()];
    expect(first.get('ratelimit-limit')).toBe('600');
    expect(Number(second.get('ratelimit-remaining'))).toBeLessThan(Number(first.get('ratelimit-remaining')));
    client.socket.destroy();
  });
});

/** More than the buffers of both operating systems hold. */
const BUFFERS = 20 * MIB;

describe('a body that is too large', () => {
  it.each([
    ['an unknown path', '/nowhere', () => ({}), 404],
    ['no credentials', CHAT, () => ({}), 413],
    ['a wrong key', CHAT, () => UNKNOWN_KEY, 401],
    ['a key', CHAT, valid, 413],
    ['a key, at /graphql', '/graphql', valid, 413],
    ['a key, at /mcp', '/mcp', valid, 413],
  ])('is not read if its length is announced, with %s', async (_name, path, credential, status) => {
    const client = await RawClient.open(service.url);
    client.head('POST', path, { ...credential(), ...JSON_TYPE, 'Content-Length': 300 * MIB });
    await client.flood(300 * MIB);
    expect((await client.response()).status).toBe(status);
    await client.closed();
    expect(client.accepted).toBeLessThan(BUFFERS);
    client.socket.destroy();
  });

  it('is not read if the client has sent the beginning before the response', async () => {
    const server = createServer((request, response) =>
      closeUnread(request as Request, response as Response, async () => {
        await pause(100);
        response.writeHead(403).end();
      }),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const connection = once(server, 'connection');
    const client = await RawClient.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const head = `PUT / HTTP/1.1\r\nHost: parley\r\nContent-Length: ${BUFFERS}\r\n\r\n`;
    // It goes on after the response.
    const sent = client.send(Buffer.concat([Buffer.from(head), Buffer.alloc(BUFFERS)]));
    const [socket] = (await connection) as [Socket];
    await once(socket, 'close');
    expect((await client.response()).status).toBe(403);
    expect(socket.bytesRead).toBeLessThan(MIB);
    client.socket.destroy();
    await sent;
  });

  it.each([
    ['no credentials', CHAT, () => ({}), LIMITS.runnerBodyBytes],
    ['a key', CHAT, valid, LIMITS.runnerBodyBytes],
    ['a key, at /graphql', '/graphql', valid, LIMITS.bodyBytes],
  ])('ends at the limit if its chunks have no end, with %s', async (_name, path, credential, limit) => {
    const client = await RawClient.open(service.url);
    client.head('POST', path, { ...credential(), ...JSON_TYPE, 'Transfer-Encoding': 'chunked' });
    await client.flood(300 * MIB, (piece) => client.chunk(piece));
    const { status, text } = await client.response();
    expect([status, text.toLowerCase()]).toEqual([413, expect.stringContaining('payload_too_large')]);
    await client.closed();
    expect(client.accepted).toBeLessThan(limit + BUFFERS);
    client.socket.destroy();
  });

  it('lets the client read the response although the client is still sending', async () => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...valid() },
      body: Buffer.alloc(40 * MIB, ' '),
    });
    expect(response.status).toBe(413);
  });
});

describe('Expect: 100-continue', () => {
  const send = async (path: string, headers: Record<string, string | number>) => {
    const client = await RawClient.open(service.url);
    client.head('POST', path, { ...JSON_TYPE, Expect: '100-continue', ...headers });
    return { client, first: await client.response() };
  };

  it.each([
    ['an unknown path', '/nowhere', () => ({}), 404],
    ['a wrong key', CHAT, () => UNKNOWN_KEY, 401],
    ['a body that is too large', CHAT, valid, 413],
    ['another content type', CHAT, () => ({ ...valid(), 'Content-Type': 'text/plain' }), 415],
  ])('gets the error at once for %s', async (_name, path, headers, status) => {
    const { client, first } = await send(path, { 'Content-Length': 300 * MIB, ...headers() });
    expect(first.status).toBe(status);
    await client.closed();
    expect(client.received).not.toContain('100 Continue');
    client.socket.destroy();
  });

  it('gets 100 when the service reads the body', async () => {
    const body = '{"query":"{ __typename }"}';
    const { client, first } = await send('/graphql', { ...valid(), 'Content-Length': body.length });
    expect(first.status).toBe(100);
    client.forget();
    await client.send(body);
    expect((await client.response()).status).toBe(200);
    client.socket.destroy();
  });
});

describe('a connection', () => {
  it('stays open after a body that was read', async () => {
    const client = await RawClient.open(service.url);
    const body = '{"query":"{ __typename }"}';
    for (let repetition = 0; repetition < 3; repetition += 1) {
      client.forget();
      client.head('POST', '/graphql', { ...valid(), ...JSON_TYPE, 'Content-Length': body.length });
      await client.send(body);
      const { status, headers } = await client.response();
      expect([status, headers.get('connection')]).toEqual([200, 'keep-alive']);
    }
    client.socket.destroy();
  });

  it('has time limits for headers and for the whole request', () => {
    const server = createHttpServer(service.service.app);
    expect(server.headersTimeout).toBe(LIMITS.headersSeconds * 1_000);
    expect(server.requestTimeout).toBeGreaterThan(LIMITS.uploadSeconds * 1_000);
  });
});
