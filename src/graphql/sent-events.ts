import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { keepAlive } from './heartbeats.ts';
import { openResults, type TakenResults } from './open-results.ts';

/** Where the client is once it has a result: the `id` of its server-sent event. */
const CURSOR: unique symbol = Symbol('cursor');
const EVENT: unique symbol = Symbol('event');

/** A result, and what it is as an event once it was sent to anybody. */
interface PlacedResult extends ExecutionResult {
  [CURSOR]?: string | undefined;
  [EVENT]?: Buffer;
}

/** The same result, with how far the reader of a feed is once they have it. */
export function placed(result: ExecutionResult, cursor: string | undefined): ExecutionResult {
  return cursor === undefined ? result : Object.defineProperty(result, CURSOR, { value: cursor });
}

/** One result as the GraphQL over SSE protocol writes it, with an `id` to resume from where there is one. */
function sentEvent(result: PlacedResult): Buffer {
  const known = result[EVENT];
  if (known) return known;
  const id = result[CURSOR] === undefined ? '' : `id: ${result[CURSOR]}\n`;
  const event = Buffer.from(`${id}event: next\ndata: ${JSON.stringify(result)}\n\n`);
  Object.defineProperty(result, EVENT, { value: event });
  return event;
}

const COMPLETE = 'event: complete\ndata:\n\n';

/** Some clients take an answer as begun at its first bytes only. */
const BEGIN = Buffer.from(':\n\n');

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that gathers what it passes on would hold events back.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Answers by server-sent events (WIRE 13): the distinct connections mode of GraphQL over SSE. The results of an open
 * subscription are left to {@link writeEvents}: an answer of the server's own would keep all that the request was made of.
 */
export const sentEvents: Plugin = {
  onResultProcess({ request, result, serverContext, setResultProcessor }) {
    // A stream that carries several operations takes them itself.
    const isShared = (serverContext as { readonly stream?: object }).stream !== undefined;
    const results = isShared ? undefined : openResults(result);
    if (results) (serverContext as TakenResults).results = results;
    const accept = request.headers.get('accept') ?? '';
    // What was refused is an ordinary answer for whoever can read one; the others would take it for a broken line.
    const readsOnlyEvents = accept.includes('text/event-stream') && !accept.includes('json');
    if (!results && !readsOnlyEvents) return;
    setResultProcessor((refused, { Response }) => {
      const body = results ? null : `${BEGIN}${sentEvent(refused as PlacedResult)}${COMPLETE}`;
      // The answer adds to what it is given.
      return new Response(body, { headers: { ...EVENT_STREAM_HEADERS } });
    }, 'text/event-stream');
  },
};

/** What browsers are told of pages says nothing of a stream. */
const OF_PAGES = new Set([
  'content-security-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]);

/** Headers are sent as a list, and forgotten: they would be half of what an open stream keeps. */
function begin(response: ServerResponse): void {
  const headers: OutgoingHttpHeaders = {};
  for (const name of response.getHeaderNames()) {
    if (!OF_PAGES.has(name)) headers[name] = response.getHeader(name);
    response.removeHeader(name);
  }
  Object.assign(headers, EVENT_STREAM_HEADERS);
  response.writeHead(200, headers).write(BEGIN);
}

/** Resolves once what was written has been taken, or the reader has gone, and leaves no listener behind. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Writes results as events. The next one is asked for once the one before has been taken. */
export async function writeEvents(response: ServerResponse, results: AsyncIterator<ExecutionResult>): Promise<void> {
  if (response.destroyed) return void results.return?.();
  begin(response);
  const stop = keepAlive(response);
  response.on('close', () => {
    stop();
    void results.return?.();
  });
  for (let next = await results.next(); !next.done; next = await results.next()) {
    if (response.destroyed) return;
    if (!response.write(sentEvent(next.value))) await drained(response);
  }
  if (!response.destroyed) response.end(COMPLETE);
}
