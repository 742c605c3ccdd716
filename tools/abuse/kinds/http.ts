import { randomBytes } from 'node:crypto';
import type { Kind } from '../kind.ts';

const UPGRADE =
  'GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

const MALFORMED = [
  'GET / HTTP/9.9\r\n\r\n',
  '\u0000\u0001\u0002\u0003',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 300 }, (_, index) => `X-${index}: ${'b'.repeat(100)}`).join('\r\n')}\r\n\r\n`,
];

const pipelined = (path: string, count: number) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(count);

/** Connections and requests that need no body. */
export const HTTP: readonly Kind[] = [
  {
    name: 'unknown-paths',
    about: 'Paths that do not exist',
    attack: (attacker) =>
      attacker.repeat((number) => attacker.send({ path: `/v1/${number}/%2e%2e/${'a'.repeat(2_000)}` })),
  },
  {
    name: 'idle-connections',
    about: '1,000 connections without a request',
    attack: (attacker) => attacker.hold(1_000, () => {}),
  },
  {
    name: 'upgrades',
    about: 'Upgrades to a WebSocket',
    attack: (attacker) => attacker.hold(16, (socket) => void socket.write(UPGRADE)),
  },
  {
    name: 'malformed-requests',
    about: 'Bytes that are no HTTP, two lengths, 300 headers, long paths',
    attack: (attacker) =>
      attacker.hold(16, (socket) => void socket.write(MALFORMED[Math.floor(Math.random() * MALFORMED.length)] ?? '')),
  },
  {
    name: 'slow-readers',
    about: '100 connections that request `/openapi.json` 50 times each and read nothing',
    attack: (attacker) =>
      attacker.hold(100, (socket) => {
        socket.pause();
        socket.write(pipelined('/openapi.json', 50));
      }),
  },
  {
    name: 'hosted-pages',
    about: 'The hosted page of a deployment',
    attack: (attacker, { publicId }) => attacker.repeat(() => attacker.send({ path: `/agent/${publicId}` })),
  },
  {
    name: 'widget-settings',
    about: 'The settings of the widget, half of them of unknown deployments',
    attack: (attacker, { publicId }) =>
      attacker.repeat((number) => {
        const id = number % 2 ? publicId : `00000000-0000-4000-8000-${randomBytes(6).toString('hex')}`;
        return attacker.send({ path: `/widget/${id}.json` });
      }),
  },
  {
    name: 'trigger-reads',
    about: 'Guesses of IDs of triggers',
    attack: (attacker, { publicId }) =>
      attacker.repeat(() =>
        attacker.send({ path: `/v1/runner/${publicId}/trigger/${randomBytes(4).toString('hex')}` }),
      ),
  },
];
