import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RawClient } from '../support/raw-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const MIB = 2 ** 20;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Announces bodies that together are just below the limit, and sends no byte of them. */
async function announceAll(address: string): Promise<RawClient[]> {
  const size = LIMITS.bodyBytes;
  const clients: RawClient[] = [];
  for (let left = LIMITS.strangerBodyMib * MIB - MIB; left > 0; left -= size) {
    const client = await RawClient.open(service.url, address);
    // The service asks for the body when it has counted it.
    client.head('POST', '/graphql', {
      ...{ ...JSON_TYPE, Expect: '100-continue' },
      'Content-Length': Math.min(size, left),
    });
    expect((await client.response()).status).toBe(100);
    clients.push(client);
  }
  return clients;
}

/** Sends white space, which is no JSON, so that nothing but the transport handles it. */
async function send(address: string, headers: Readonly<Record<string, string>>, write: (client: RawClient) => unknown) {
  const client = await RawClient.open(service.url, address);
  client.head('POST', '/graphql', { ...JSON_TYPE, ...headers });
  await write(client);
  const response = await client.response();
  client.socket.destroy();
  return response;
}

const sendBytes = (address: string, size: number, headers = {}) =>
  send(address, { ...headers, 'Content-Length': String(size) }, (client) => client.send(Buffer.alloc(size, ' ')));

const sendChunks = (address: string, size: number) =>
  send(address, { 'Transfer-Encoding': 'chunked' }, async (client) => {
    await client.chunk(Buffer.alloc(size, ' '));
    await client.send('0\r\n\r\n');
  });

const close = (clients: readonly RawClient[]) => {
  for (const { socket } of clients) socket.destroy();
};

describe('the bytes of request bodies', () => {
  it('are limited for callers without credentials, by IP address', async () => {
    const address = '127.3.0.1';
    const clients = await announceAll(address);
    expect((await sendBytes(address, MIB / 2)).status).toBe(400);
    const refused = await sendBytes(address, MIB);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('has sent 512 MiB of request bodies within a minute');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await sendBytes('127.3.0.2', MIB)).status).toBe(400);
    expect((await sendBytes(address, MIB, { 'X-Api-Key': service.keys.live })).status).toBe(400);
    close(clients);
  });

  it('count without a Content-Length too', async () => {
    const address = '127.3.0.3';
    const clients = await announceAll(address);
    expect((await sendChunks(address, 2 * MIB)).status).toBe(400);
    expect((await sendBytes(address, 10)).status).toBe(429);
    close(clients);
  });

  it('no longer count when a client that announced them is gone', async () => {
    const address = '127.3.0.4';
    close(await announceAll(address));
    await until(async () => (await sendBytes(address, 2 * MIB)).status === 400);
  });

  it('do not count if they are refused by their Content-Length', async () => {
    const address = '127.3.0.5';
    for (let mib = 0; mib <= LIMITS.strangerBodyMib; mib += 32) {
      expect((await send(address, { 'Content-Length': String(32 * MIB) }, () => undefined)).status).toBe(413);
    }
    expect((await sendBytes(address, MIB)).status).toBe(400);
  });
});
