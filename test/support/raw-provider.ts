import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { delta, end } from './reply-provider.ts';

/** Writes the bytes of a response, head included. */
export type RawReply = (socket: Socket) => void | Promise<void>;

export interface RawProvider {
  readonly url: string;
  close(): Promise<void>;
}

/** A provider that chooses a response by the last message of the request, which is a text in JSON. */
export async function startRawProvider(choose: (message: string) => RawReply): Promise<RawProvider> {
  const server = createServer(async (request) => {
    request.socket.on('error', () => {});
    const { messages } = JSON.parse(await text(request)) as { readonly messages: readonly object[] };
    await choose(JSON.stringify(messages.at(-1)))(request.socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const GOOD_REPLY = delta({ content: 'Good.' }) + end();

const head = (fields: readonly string[], status = '200 OK') =>
  [`HTTP/1.1 ${status}`, 'content-type: text/event-stream', ...fields, '', ''].join('\r\n');

/** The good reply with these header fields. The connection closes after it. */
export const withFields =
  (...fields: readonly string[]): RawReply =>
  (socket) =>
    void socket.end(head(fields) + GOOD_REPLY);

/** Another reply. */
export const withEvents =
  (events: string): RawReply =>
  (socket) =>
    void socket.end(head(['connection: close']) + events);

export const withStatus =
  (status: string): RawReply =>
  (socket) =>
    void socket.end(head([`content-length: ${GOOD_REPLY.length}`], `${status} Odd`) + GOOD_REPLY);

/** Sends the piece again and again until the connection closes. Returns how many bytes the operating system took. */
export async function flood(socket: Socket, piece: string, beginning = head(['connection: close'])): Promise<number> {
  socket.write(beginning);
  let bytes = 0;
  const send = () => new Promise<boolean>((resolve) => socket.write(piece, (error) => resolve(!error)));
  while (!socket.destroyed && (await send())) bytes += piece.length;
  return bytes;
}

/** Sends the piece every few milliseconds until the connection closes. */
export const trickle =
  (piece: string, beginning = head(['connection: close'])): RawReply =>
  (socket) => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write(piece), 5);
    socket.on('close', () => clearInterval(timer));
  };
