import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { announcesBody } from './announced.ts';

/** How long a closed connection stays open for the client to read its response. A reset at once could discard the response. */
const LINGER_MS = 1_000;

/**
 * Closes the connection after a response whose request was not read to its end. Node would read the rest, whatever its
 * size, to keep the connection.
 */
export const closeUnread: RequestHandler = (request, response, next) => {
  if (announcesBody(request)) watch(request, response);
  next();
};

function watch(request: IncomingMessage, response: ServerResponse): void {
  // After the response, Node reads the rest of a request of which nobody has asked for anything. Asked before the buffer of
  // the request is full: then this would have no effect.
  request.read(0);
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  const stop = () => {
    request.pause();
    if (response.socket) lingerWhenClosed(response.socket);
  };
  // Before Node's own listener, which reads the rest.
  response.prependOnceListener('finish', stop);
  request.once('end', () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.off('finish', stop);
  });
}

function lingerWhenClosed(socket: Socket): void {
  // Node calls it after a response with `Connection: close`.
  socket.destroySoon = () => {
    socket.end(() => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  };
}
