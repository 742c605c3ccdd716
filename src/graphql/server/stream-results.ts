import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Sink } from '../../domain/events/follower.ts';
import { breakConnection, releaseHead } from '../../http/open-stream.ts';
import { drained, writeShared } from '../../http/shared-chunk.ts';
import { keepAlive } from '../../operation/heartbeats.ts';
import type { Results, StreamItem } from '../../operation/subscription-results.ts';
import { isRetryable, type PipelineOutput } from './pipelined.ts';
import type { StreamFormat } from './stream-format.ts';
import { streamFormatOf } from './stream-negotiation.ts';

interface ServerContext {
  readonly req: Request;
  readonly output: PipelineOutput;
  /** Set for operations on a shared stream. */
  readonly stream?: object;
}

/** The headers of every stream, next to its content type. */
export const STREAM_HEADERS = {
  // Proxies that buffer responses would delay events.
  'cache-control': 'private, no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Responds with a stream. {@link writeStream} writes the results of a subscription: a Yoga response would keep the whole
 * request in memory.
 */
export const streamResults: Plugin = {
  onResultProcess({ serverContext, setResultProcessor }) {
    const { req, output, stream } = serverContext as unknown as ServerContext;
    // A shared stream writes its results itself.
    const isOpen = stream === undefined && output.results !== undefined;
    // A rejected operation is a JSON response if the client accepts JSON. Other clients get a stream with one result. After a
    // temporary error it has no end: clients of this protocol try again only then.
    if (!isOpen && acceptsJson(req)) return;
    const format = streamFormatOf(req);
    if (!format) return;
    setResultProcessor((result, { Response }) => {
      const item = { result: result as ExecutionResult };
      output.isInterrupted = !isOpen && isRetryable(output, item.result);
      const end = output.isInterrupted ? [] : [format.end];
      const body = isOpen ? null : Buffer.concat([format.begin, format.encode(item), ...end]);
      return new Response(body, { headers: { ...STREAM_HEADERS, 'content-type': format.contentType } });
    }, format.mediaType);
  },
};

function acceptsJson(request: Request): boolean {
  return (request.get('accept') ?? '').includes('json');
}

/** Security headers for pages. Streams do not need them. */
const PAGE_HEADERS = new Set([
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

/** Sends the headers and removes them from the response, because they are half of an open stream's memory. */
function begin(response: ServerResponse, format: StreamFormat): void {
  const headers: OutgoingHttpHeaders = {};
  for (const name of response.getHeaderNames()) {
    if (!PAGE_HEADERS.has(name)) headers[name] = response.getHeader(name);
    response.removeHeader(name);
  }
  Object.assign(headers, STREAM_HEADERS, { 'content-type': format.contentType });
  response.writeHead(200, headers).write(format.begin);
  releaseHead(response);
}

/** Writes results with backpressure: it requests the next result when the previous one was read. */
export async function writeStream(response: ServerResponse, results: Results, format: StreamFormat): Promise<void> {
  if (response.destroyed) return void results.return?.();
  begin(response, format);
  const stop = keepAlive(response, format.heartbeat);
  response.on('close', () => {
    stop();
    void results.return?.();
  });
  const writer = new StreamWriter(response, format, results);
  writer.resume = results.flow?.(writer);
  if (writer.resume) return;
  for (let next = await results.next(); !next.done; next = await results.next()) {
    if (response.destroyed) return;
    if (writeShared(response, format.encode(next.value))) await drained(response);
  }
  finish(response, results, format);
}

function finish(response: ServerResponse, { isInterrupted }: Results, format: StreamFormat): void {
  if (response.destroyed) return;
  if (isInterrupted) breakConnection(response);
  else response.end(format.end);
}

/** Writes the items of a feed. It takes no more while the write buffer is full. */
class StreamWriter implements Sink<StreamItem> {
  readonly #response: ServerResponse;
  readonly #format: StreamFormat;
  readonly #results: Results;
  resume: (() => void) | undefined;

  constructor(response: ServerResponse, format: StreamFormat, results: Results) {
    this.#response = response;
    this.#format = format;
    this.#results = results;
  }

  push(item: StreamItem): boolean {
    if (this.#response.destroyed) return false;
    if (!writeShared(this.#response, this.#format.encode(item))) return true;
    void drained(this.#response).then(() => this.resume?.());
    return false;
  }

  end(): void {
    finish(this.#response, this.#results, this.#format);
  }

  fail(): void {
    this.end();
  }
}
