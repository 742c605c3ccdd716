import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { drained, writeShared } from '../../src/http/shared-chunk.ts';

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Sends requests over one connection to a server that responds as `respond` does. */
async function connected(requests: string, respond: (response: ServerResponse, path: string) => void): Promise<Socket> {
  const server = createServer(({ url = '' }, response) => respond(response, url));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  closes.push(
    () => client.destroy(),
    () => server.close(),
  );
  client.write(requests);
  return client;
}

const SHARED = Buffer.from('Grüße\n');
const CHUNK = `8\r\n${SHARED}\r\n`;
const GET = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${rest}\r\n`;
const LAST = 'Connection: close\r\n';

describe('bytes that many responses write', () => {
  it('are chunks in the order of the other writes', async () => {
    const client = await connected(GET('/', LAST), (response) => {
      response.write('first');
      writeShared(response, SHARED);
      response.write('third');
      writeShared(response, SHARED);
      response.end('last');
    });
    const response = await text(client);
    expect(response.slice(response.indexOf('\r\n\r\n') + 4)).toBe(
      `5\r\nfirst\r\n${CHUNK}5\r\nthird\r\n${CHUNK}4\r\nlast\r\n0\r\n\r\n`,
    );
  });

  it('wait for the responses to earlier requests of the connection', async () => {
    let first: ServerResponse | undefined;
    const client = await connected(GET('/1') + GET('/2', LAST), (response, path) => {
      if (path === '/1') {
        first = response;
        return;
      }
      response.writeHead(200).flushHeaders();
      writeShared(response, SHARED);
      response.end();
      first?.end('first');
    });
    const response = await text(client);
    expect(response.indexOf('first')).toBeGreaterThan(0);
    expect(response.indexOf('first')).toBeLessThan(response.indexOf(CHUNK));
  });

  it('have no frame for a client of HTTP/1.0', async () => {
    const client = await connected('GET / HTTP/1.0\r\n\r\n', (response) => {
      response.writeHead(200).flushHeaders();
      writeShared(response, SHARED);
      response.end();
    });
    expect((await text(client)).split('\r\n\r\n')[1]).toBe(String(SHARED));
  });

  it('report a full buffer, until the client has read them', async () => {
    const large = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    let wasFull = false;
    const client = await connected(GET('/', LAST), async (response) => {
      response.writeHead(200).flushHeaders();
      for (; written < 16; written += 1) {
        if (!writeShared(response, large)) continue;
        wasFull = true;
        await drained(response);
      }
      response.end();
    });
    let read = 0;
    for await (const bytes of client) read += bytes.length;
    expect([wasFull, written]).toEqual([true, 16]);
    expect(read).toBeGreaterThan(16 * large.length);
  });

  it('do not wait for a client that has disconnected', async () => {
    const large = Buffer.alloc(16 * 1024 * 1024, 'x');
    const done = new Promise<void>((resolve) => {
      void connected(GET('/'), async (response) => {
        response.writeHead(200).flushHeaders();
        writeShared(response, large);
        response.socket?.destroy();
        await drained(response);
        resolve();
      });
    });
    await done;
  });
});
