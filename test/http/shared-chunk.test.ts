import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { releaseHead } from '../../src/http/open-stream.ts';
import { writeShared } from '../../src/http/shared-chunk.ts';

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).write('begin ');
  releaseHead(response);
  writeShared(response, Buffer.from('shared '));
  response.write('own ');
  writeShared(response, Buffer.from('shared again '));
  response.end('end');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it('writes shared bytes in the order of all writes, after the head', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await response.text()).toBe('begin shared own shared again end');
});
