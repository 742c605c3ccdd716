import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import { isBypassOn } from '../contract/bypasses.ts';
import { leaveBody } from './body/unfinished-bodies.ts';
import { hasWaitingChunks } from './shared-chunk.ts';

/** What nobody reads once the response has begun. Every open stream shares the empty values. */
const RELEASED = {
  body: undefined,
  next: undefined,
  _parsedUrl: undefined,
  headers: Object.freeze({}),
  rawHeaders: Object.freeze([]),
};

/** Releases what the request of an open stream holds. The stream can stay open for days. */
export function releaseRequest(request: Request): void {
  leaveBody(request);
  Object.assign(request, RELEASED);
}

/**
 * Closes the connection without the end of the response, after everything that was written. The client knows then that
 * the stream is not complete.
 */
export function breakConnection(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) response.destroy();
  // Node writes the chunks that it holds before this runs.
  else if (hasWaitingChunks(response, socket)) process.nextTick(() => socket.destroySoon());
  else socket.destroySoon();
}

/** The property of Node that holds the text of the sent head. Its pieces are most of an open response's memory. */
const HEAD_TEXT = '_header';

/** The property of Node that says whether the head was sent. Since Node 24.22, that can be after it was made. */
const HEAD_SENT = '_headerSent';

/** The description of Node's symbol for the headers of a response. */
const HEADERS = 'kOutHeaders';

/** The text only says that the head was sent. */
const SENT = 'sent';

let headersSymbol: symbol | undefined;

/**
 * Sends the head of a response that has begun, and releases it. It uses internals of Node, because Node keeps the head until the end. If
 * they have other names, nothing is released.
 */
export function releaseHead(response: ServerResponse): void {
  if (!isBypassOn('stream-head')) return;
  if (!response.headersSent) return;
  const internals = response as unknown as Record<PropertyKey, unknown>;
  if (internals[HEAD_SENT] === false) response.flushHeaders();
  if (internals[HEAD_SENT] !== true) return;
  // An empty object of Express.
  if (internals.locals) internals.locals = undefined;
  if (typeof internals[HEAD_TEXT] === 'string') internals[HEAD_TEXT] = SENT;
  headersSymbol ??= Object.getOwnPropertySymbols(response).find(({ description }) => description === HEADERS);
  if (headersSymbol && internals[headersSymbol]) internals[headersSymbol] = null;
}
