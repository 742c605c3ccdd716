import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { oneAtATime } from '../../src/http/one-at-a-time.ts';
import { RawClient } from '../support/raw-client.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Requests of one packet. */
const pipelined = (count: number, path = '/') =>
  Array.from({ length: count }, (_, index) => `GET ${path}?${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

describe('the requests of a connection', () => {
  const begun: { readonly url: string; readonly response: ServerResponse }[] = [];
  let server: Server;
  let client: RawClient;
  beforeEach(async () => {
    begun.length = 0;
    server = createServer(oneAtATime(({ url = '' }, response) => begun.push({ url, response })));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = await RawClient.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(() => {
    client.socket.destroy();
    server.close();
  });

  it('are handled one after another, in their order', async () => {
    await client.send(pipelined(3));
    for (let index = 0; index < 3; index += 1) {
      await until(async () => begun.length === index + 1);
      expect(begun[index]?.url).toBe(`/?${index}`);
      begun[index]?.response.end(`response ${index}`);
    }
    await until(async () => client.received.includes('response 2'));
  });

  it('are not handled any more when the response before closes the connection', async () => {
    await client.send(pipelined(3));
    await until(async () => begun.length === 1);
    begun[0]?.response.setHeader('Connection', 'close').end();
    await client.closed();
    expect(begun).toHaveLength(1);
  });

  it('are not handled any more when the client has closed the connection', async () => {
    await client.send(pipelined(3));
    await until(async () => begun.length === 1);
    client.socket.resetAndDestroy();
    await once(begun[0]?.response as ServerResponse, 'close');
    expect(begun).toHaveLength(1);
  });

  it('close the connection if too many wait', async () => {
    await client.send(pipelined(LIMITS.pipelinedRequests + 1));
    await until(async () => begun.length === 1);
    expect(client.isClosed).toBe(false);
    await client.send(pipelined(1));
    await client.closed();
    expect(begun).toHaveLength(1);
  });
});

it('a caller over a rate limit gets one response for each connection', async () => {
  const service = await startService();
  const client = await RawClient.open(service.url, '127.0.0.77');
  const paths = Array.from({ length: 7 }, () => pipelined(100, '/nowhere'));
  for (const path of paths.slice(0, 6)) {
    client.forget();
    await client.send(path);
    await until(async () => client.received.split('HTTP/1.1 404').length === 101);
  }
  client.forget();
  await client.send(paths[6] ?? '');
  await client.closed();
  expect(client.received.split('HTTP/1.1 ').length - 1).toBe(1);
  const { status, headers } = await client.response();
  expect([status, headers.get('connection')]).toEqual([429, 'close']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  await service.close();
});
