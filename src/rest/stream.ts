import type { Request, Response } from 'express';
import { acceptedTypes } from '../http/accepted-types.ts';
import { breakConnection, releaseHead, releaseRequest } from '../http/open-stream.ts';
import { drained } from '../http/shared-chunk.ts';
import type { WireError } from '../operation/errors.ts';
import { keepAlive } from '../operation/heartbeats.ts';
import { errorBody, sendError } from './reply.ts';

/** An event of a subscription: its name and its other fields. */
export type StreamEvent = { readonly event: string } & Readonly<Record<string, unknown>>;

export interface EventSource<Event> {
  readonly events: AsyncIterableIterator<Event>;
  readonly describe: (error: unknown) => WireError;
  readonly requestId: string;
  /** After the last event: whether the connection must break, so that the client reconnects. Default: no. */
  isInterrupted?(): boolean;
}

/** Streams a reply: as server-sent events if the client accepts them, otherwise as text. */
export function sendStream(request: Request, response: Response, source: EventSource<StreamEvent>): Promise<void> {
  const wantsEvents = acceptedTypes(request).includes('text/event-stream');
  return send(response, wantsEvents ? eventWriter(response) : textWriter(response), source);
}

/** Writes a feed as server-sent events. The response starts at once, because the first event can be far away. */
export function sendFeed(request: Request, response: Response, source: EventSource<StreamEvent>): Promise<void> {
  const writer = eventWriter(response);
  writer.open();
  releaseRequest(request);
  releaseHead(response);
  if (request.method === 'HEAD') void source.events.return?.();
  return send(response, writer, source);
}

/** Writes each event as a line of JSON. A HEAD request ends with the first event. */
export function sendLines(request: Request, response: Response, source: EventSource<object>): Promise<void> {
  return send(response, lineWriter(request, response, source.events), source);
}

/** Writes a subscription to the client, with backpressure. If the client disconnects, the subscription ends. */
export async function send<Event>(
  response: Response,
  writer: Writer<Event>,
  source: EventSource<Event>,
): Promise<void> {
  response.once('close', () => void source.events.return?.());
  try {
    for await (const event of source.events) {
      if (response.closed) return;
      const isBufferFull = writer.write(event);
      if (isBufferFull) await drained(response);
    }
    if (source.isInterrupted?.()) breakConnection(response);
    else writer.end();
  } catch (error) {
    if (!response.closed) await fail(response, source.describe(error), { writer, requestId: source.requestId });
  } finally {
    writer.close();
  }
}

/** Before the first byte, an error is an ordinary response. Later, the stream must not look complete. */
async function fail(
  response: Response,
  error: WireError,
  { writer, requestId }: { writer: Pick<Writer<never>, 'fail'>; requestId: string },
): Promise<void> {
  if (!response.headersSent) await sendError(response, error, requestId);
  else if (!writer.fail?.(errorBody(error, requestId))) response.destroy();
}

export interface Writer<Event> {
  /** Returns whether the write buffer is full. */
  write(event: Event): boolean;
  /** Writes an error to the stream. Without it, the connection is destroyed. */
  fail?(body: object): boolean;
  end(): void;
  close(): void;
}

/** The headers of every stream, next to its content type. */
export const STREAM_HEADERS = { 'Cache-Control': 'private, no-store, no-transform', 'X-Accel-Buffering': 'no' };

/** Only conversations have these headers, one-shot runs do not. */
function setConversationHeaders(response: Response, { conversation_id, run_id }: StreamEvent): void {
  if (conversation_id) response.setHeader('x-conversation-id', String(conversation_id));
  if (run_id) response.setHeader('x-run-id', String(run_id));
}

function textWriter(response: Response): Writer<StreamEvent> {
  const open = () => {
    if (!response.headersSent)
      response.writeHead(200, { ...STREAM_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' });
  };
  return {
    write(event) {
      if (event.event === 'start') setConversationHeaders(response, event);
      if (event.event !== 'delta') return false;
      open();
      return !response.write(event.text);
    },
    end() {
      open();
      response.end();
    },
    close() {},
  };
}

function eventWriter(response: Response): Writer<StreamEvent> & { open(): void } {
  const send = (name: string, data: unknown, id?: unknown) =>
    response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  let stopHeartbeats = () => {};
  const open = () => {
    if (response.headersSent) return;
    response.writeHead(200, { ...STREAM_HEADERS, 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    stopHeartbeats = keepAlive(response);
  };
  return {
    open,
    write({ event, cursor, ...data }) {
      open();
      return !send(event, data, cursor);
    },
    fail(body) {
      send('error', body);
      response.end();
      return true;
    },
    end: () => void response.end(),
    close: () => stopHeartbeats(),
  };
}

function lineWriter(request: Request, response: Response, events: EventSource<object>['events']): Writer<object> {
  const open = () => {
    if (!response.headersSent) response.writeHead(200, { ...STREAM_HEADERS, 'Content-Type': 'application/x-ndjson' });
  };
  return {
    write(line) {
      open();
      if (request.method === 'HEAD') {
        void events.return?.();
        return false;
      }
      return !response.write(`${JSON.stringify(line)}\n`);
    },
    end() {
      open();
      response.end();
    },
    close() {},
  };
}
