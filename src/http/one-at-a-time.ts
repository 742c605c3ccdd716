import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../contract/limits.ts';

type Waiting = (readonly [IncomingMessage, ServerResponse])[];

/**
 * Handles the requests of a connection one after another. Node starts all that it has received, so a client could send
 * thousands in a few packets and read no response. What waits when the connection is closed is never handled.
 */
export function oneAtATime(app: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Waiting>();
  const start = (request: IncomingMessage, response: ServerResponse, waiting: Waiting) => {
    const { socket } = request;
    response.once('close', () => {
      const next = waiting.shift();
      if (!next) connections.delete(socket);
      else if (socket.writable) start(...next, waiting);
    });
    app(request, response as Parameters<RequestListener>[1]);
  };
  return (request, response) => {
    const { socket } = request;
    const waiting = connections.get(socket);
    if (!waiting) {
      const own: Waiting = [];
      connections.set(socket, own);
      start(request, response, own);
    } else if (waiting.length < LIMITS.pipelinedRequests) waiting.push([request, response]);
    else socket.destroy();
  };
}
