import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { breakConnection, releaseHead } from '../../src/http/open-stream.ts';
import { writeShared } from '../../src/http/shared-chunk.ts';

/** What a client receives of a response, and whether it is complete. */
async function received(
  respond: (response: ServerResponse) => void,
): Promise<readonly [text: string, isWhole: boolean]> {
  const server = createServer((_request, response) =>
    respond(response.writeHead(200, { 'content-type': 'text/plain' })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  let text = '';
  const isWhole = await (async () => {
    for await (const bytes of body ?? []) text += new TextDecoder().decode(bytes);
    return true;
  })().catch(() => false);
  server.closeAllConnections();
  server.close();
  return [text, isWhole];
}

it('writes shared bytes in the order of all writes, after the head', async () => {
  const all = await received((response) => {
    response.write('begin ');
    releaseHead(response);
    writeShared(response, Buffer.from('shared '));
    response.write('own ');
    writeShared(response, Buffer.from('shared again '));
    response.end('end');
  });
  expect(all).toEqual(['begin shared own shared again end', true]);
});

it('breaks a connection after everything that was written', async () => {
  const all = await received((response) => {
    response.write('begin ');
    writeShared(response, Buffer.from('shared '));
    response.write('last');
    breakConnection(response);
  });
  expect(all).toEqual(['begin shared last', false]);
});
