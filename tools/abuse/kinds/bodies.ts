import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Kind } from '../kind.ts';

const MIB = 1024 * 1024;
const WHITE_SPACE = brotliCompressSync(Buffer.alloc(10 * MIB - 2, ' '));
const OBJECTS = gzipSync(`[${Array.from({ length: 280_000 }, () => '{}').join(',')}]`);
/** The beginning of a body that inflates to 10 MiB. */
const UNFINISHED = gzipSync(Buffer.alloc(10 * MIB, ' ')).subarray(0, -100);
const PIECE = Buffer.alloc(64 * 1024, ' ');
const DEEP = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
/** As many values as a body can have. */
const FULL = JSON.stringify({
  query: '{ __typename }',
  variables: { a: Array.from({ length: 590_000 }, () => 'ten chars!') },
});

const head = (path: string, ...headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');

/** Writes as fast as the service reads. `frame` wraps each piece. */
function flood(socket: Socket, frame: (piece: Buffer) => Buffer): void {
  const bytes = frame(PIECE);
  const write = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

const chunk = (piece: Buffer) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);

/** Bodies of requests without credentials. */
export const BODIES: readonly Kind[] = [
  {
    name: 'packed-white-space',
    about: 'Brotli: 29 bytes that inflate to 10 MiB, to an unknown path',
    attack: (attacker) =>
      attacker.repeat((number) =>
        attacker.send({
          method: 'POST',
          path: `/nowhere/${number}`,
          headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
          body: WHITE_SPACE,
        }),
      ),
  },
  {
    name: 'packed-objects',
    about: 'gzip: 280,000 objects in 1 kB, to `/graphql`',
    attack: (attacker) =>
      attacker.repeat(() =>
        attacker.send({
          method: 'POST',
          path: '/graphql',
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
          body: OBJECTS,
        }),
      ),
  },
  {
    name: 'packed-unfinished',
    about: '150 connections with 10 kB of gzip that never finish',
    attack: (attacker) =>
      attacker.hold(150, (socket) => {
        socket.write(head('/graphql', 'Content-Encoding: gzip', `Content-Length: ${UNFINISHED.length + 100}`));
        socket.write(UNFINISHED);
      }),
  },
  {
    name: 'unfinished-bodies',
    about: '60 connections with 9 of 10 MiB of a body',
    attack: (attacker) =>
      attacker.hold(60, (socket) => {
        socket.write(head('/graphql', `Content-Length: ${10 * MIB}`));
        for (let sent = 0; sent < 9 * MIB; sent += PIECE.length) socket.write(PIECE);
      }),
  },
  {
    name: 'unfinished-headers',
    about: '400 connections with half of their headers',
    attack: (attacker) =>
      attacker.hold(400, (socket) => {
        socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Fill: ${'a'.repeat(8_000)}\r\n`);
      }),
  },
  {
    name: 'large-bodies',
    about: 'Bodies of 300 MiB by their `Content-Length`, with and without `Expect: 100-continue`',
    attack: (attacker) =>
      attacker.hold(8, (socket) => {
        const expect = Math.random() < 0.5 ? ['Expect: 100-continue'] : [];
        socket.write(head('/v1/resources', `Content-Length: ${300 * MIB}`, ...expect));
        flood(socket, (piece) => piece);
      }),
  },
  {
    name: 'endless-bodies',
    about: 'Chunked bodies without an end',
    attack: (attacker) =>
      attacker.hold(8, (socket) => {
        socket.write(head('/v1/resources', 'Transfer-Encoding: chunked'));
        flood(socket, chunk);
      }),
  },
  {
    name: 'slow-bodies',
    about: '200 connections that send a byte of their body each second',
    attack: (attacker) =>
      attacker.hold(200, async (socket) => {
        socket.write(head('/graphql', 'Content-Length: 1000'));
        while (!socket.destroyed) {
          socket.write(' ');
          await pause(1_000);
        }
      }),
  },
  {
    name: 'full-bodies',
    about: 'JSON of 8 MiB with 590,000 values, 3 per second',
    attack: (attacker) =>
      attacker.repeat(() => attacker.send({ method: 'POST', path: '/graphql', body: FULL }), { perSecond: 3 }),
  },
  {
    name: 'deep-bodies',
    about: 'JSON with 200 levels',
    attack: (attacker) => attacker.repeat(() => attacker.send({ method: 'POST', path: '/graphql', body: DEEP })),
  },
];
