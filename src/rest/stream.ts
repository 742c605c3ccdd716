import type { Request, Response } from 'express';
import type { WireError } from '../graphql/errors.ts';
import { keepAlive } from '../graphql/heartbeats.ts';
import { drained } from '../graphql/sent-events.ts';
import { errorBody, sendError } from './reply.ts';

/** A subscription's event: its name, and the rest of its fields. */
export type StreamEvent = { readonly event: string } & Readonly<Record<string, unknown>>;

interface Streamed<Event> {
  readonly events: AsyncIterableIterator<Event>;
  readonly describe: (error: unknown) => WireError;
  readonly requestId: string;
}

/** Writes a reply as it comes: server-sent events where they are accepted, else the text alone (SPEC 4.5, WIRE 6). */
export function sendStream(request: Request, response: Response, streamed: Streamed<StreamEvent>): Promise<void> {
  const wantsEvents = request.get('accept')?.includes('text/event-stream') ?? false;
  return send(response, wantsEvents ? eventWriter(response) : textWriter(response), streamed);
}

/** Writes each event as a line of JSON. A HEAD is answered once there is a first one. */
export function sendLines(request: Request, response: Response, streamed: Streamed<object>): Promise<void> {
  return send(response, lineWriter(request, response, streamed.events), streamed);
}

/** Writes a subscription to the client. A client that goes away ends the subscription; a full pipe makes it wait. */
async function send<Event>(response: Response, writer: Writer<Event>, streamed: Streamed<Event>): Promise<void> {
  response.once('close', () => void streamed.events.return?.());
  try {
    for await (const event of streamed.events) {
      if (response.closed) return;
      const full = writer.write(event);
      if (full) await drained(response);
    }
    writer.end();
  } catch (error) {
    if (!response.closed) fail(response, streamed.describe(error), { writer, requestId: streamed.requestId });
  } finally {
    writer.close();
  }
}

/** Before the first byte a fault is an ordinary answer; after it the client must not take it for the end. */
function fail(
  response: Response,
  error: WireError,
  { writer, requestId }: { writer: Pick<Writer<never>, 'fail'>; requestId: string },
): void {
  if (!response.headersSent) sendError(response, error, requestId);
  else if (!writer.fail?.(errorBody(error, requestId))) response.destroy();
}

interface Writer<Event> {
  /** Answers whether the pipe is full. */
  write(event: Event): boolean;
  /** Tells of a fault in the stream itself; where it cannot, the connection is broken off. */
  fail?(body: object): boolean;
  end(): void;
  close(): void;
}

const HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };

/** A one-shot reply has neither of them. */
function nameConversation(response: Response, { conversation_id, run_id }: StreamEvent): void {
  if (conversation_id) response.setHeader('x-conversation-id', String(conversation_id));
  if (run_id) response.setHeader('x-run-id', String(run_id));
}

function textWriter(response: Response): Writer<StreamEvent> {
  const open = () => {
    if (!response.headersSent) response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' });
  };
  return {
    write(event) {
      if (event.event === 'start') nameConversation(response, event);
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

function eventWriter(response: Response): Writer<StreamEvent> {
  const send = (name: string, data: unknown) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  let stopBeating = () => {};
  return {
    write({ event, ...data }) {
      if (!response.headersSent) {
        response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
        stopBeating = keepAlive(response);
      }
      return !send(event, data);
    },
    fail(body) {
      send('error', body);
      response.end();
      return true;
    },
    end: () => void response.end(),
    close: () => stopBeating(),
  };
}

function lineWriter(request: Request, response: Response, events: Streamed<object>['events']): Writer<object> {
  const open = () => {
    if (!response.headersSent) response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/x-ndjson' });
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
