import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Services } from '../domain/context.ts';
import { keepAlive } from './heartbeats.ts';
import { openResults, type Results } from './open-results.ts';
import { drained, EVENT_STREAM_HEADERS } from './sent-events.ts';
import type { StreamCaps } from './stream-caps.ts';
import { contextOf } from './who-asks.ts';

/** How long a reservation waits for its reader. */
const RESERVED_MS = 15_000;

const TOKEN_HEADER = 'x-graphql-event-stream-token';

/** One stream that carries the results of several operations to one reader. */
class SharedStream {
  readonly token = randomUUID();
  readonly #operations = new Map<string, Results | undefined>();
  readonly #close: () => void;
  readonly #expiry: NodeJS.Timeout;
  #response: Response | undefined;
  #isEnding = false;

  constructor(close: () => void) {
    this.#close = close;
    this.#expiry = setTimeout(close, RESERVED_MS).unref();
  }

  get isRead(): boolean {
    return this.#response !== undefined;
  }

  connect(response: Response): void {
    clearTimeout(this.#expiry);
    this.#response = response;
    response.writeHead(200, EVENT_STREAM_HEADERS).write(':\n\n');
    const stopBeating = keepAlive(response);
    response.once('close', () => {
      stopBeating();
      for (const id of [...this.#operations.keys()]) this.stop(id);
      this.#close();
    });
  }

  /** @throws {ServiceError} invalid_request, rate_limited */
  admit(operationId: unknown): string {
    const param = ['extensions', 'operationId'];
    if (typeof operationId !== 'string' || operationId === '' || operationId.length > LIMITS.requestIdLength) {
      const message = `{param} must be a string of 1 to ${LIMITS.requestIdLength} characters, of your choice.`;
      throw new ServiceError('invalid_request', message, { param });
    }
    if (this.#operations.has(operationId)) {
      throw new ServiceError('invalid_request', '{param} names an operation that is still open.', { param });
    }
    if (this.#operations.size >= LIMITS.operationsOfStream) {
      throw new ServiceError(
        'rate_limited',
        `${LIMITS.operationsOfStream} operations are open on this stream already.`,
      );
    }
    this.#operations.set(operationId, undefined);
    return operationId;
  }

  /** Tells the reader of each result; the next is asked for once the one before has been taken. */
  async run(id: string, result: ExecutionResult): Promise<void> {
    const iterator = openResults(result);
    if (iterator && this.#operations.has(id)) this.#operations.set(id, iterator);
    else await iterator?.return?.();
    for (let next = await nextOf(iterator, result); next; next = await nextOf(iterator)) {
      if (!(await this.#tell('next', { id, payload: next }))) break;
    }
    if (this.#operations.delete(id)) await this.#tell('complete', { id });
    this.#endIfDone();
  }

  /** Ends the stream once its operations have ended: they are told first that they have. */
  end(): void {
    this.#isEnding = true;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#isEnding && this.#operations.size === 0) this.#response?.end();
  }

  /** Ends an operation because its reader wants no more of it. */
  stop(id: string): void {
    const iterator = this.#operations.get(id);
    this.#operations.delete(id);
    iterator?.return?.().catch(() => {});
  }

  /** False where nobody reads any more. */
  async #tell(event: 'next' | 'complete', data: object): Promise<boolean> {
    const response = this.#response;
    if (!response || response.closed) return false;
    if (response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) return true;
    await drained(response);
    return !response.closed;
  }
}

async function nextOf(iterator: Results | undefined, single?: ExecutionResult): Promise<ExecutionResult | undefined> {
  if (!iterator) return single;
  const next = await iterator.next();
  return next.done ? undefined : next.value;
}

/** What an operation of a shared stream is executed with, beside its request. */
export interface SharedOperation {
  readonly stream?: SharedStream;
  readonly operationId?: string;
}

/** Sends the results of an operation to the stream that it was asked on, and answers that it was taken. */
export const sharedResults: Plugin = {
  onResultProcess({ serverContext, setResultProcessor }) {
    const { stream, operationId } = serverContext as SharedOperation;
    if (!stream || operationId === undefined) return;
    setResultProcessor((result, { Response }) => {
      void stream.run(operationId, result as ExecutionResult);
      return new Response(null, { status: 202 });
    }, 'application/json');
  },
};

/** Executes one operation of a shared stream, through every guard that the endpoint has. */
type Execute = (request: Request, response: Response, operation: SharedOperation) => Promise<void>;

/**
 * The single connection mode of GraphQL over SSE (WIRE 13): PUT reserves a stream, GET reads it, POST starts an operation
 * on it and DELETE ends one. A stream lives in the process that it was reserved in.
 */
export function singleConnection(services: Services, caps: StreamCaps, execute: Execute): RequestHandler {
  const streams = new Map<string, SharedStream>();
  services.draining.addEventListener('abort', () => {
    for (const stream of streams.values()) stream.end();
  });
  const streamOf = (request: Request): SharedStream => {
    const token =
      request.get(TOKEN_HEADER) ?? new URL(request.originalUrl, 'http://localhost').searchParams.get('token');
    const stream = streams.get(token ?? '');
    if (stream) return stream;
    throw new ServiceError('not_found', 'There is no such stream. Reserve one by PUT, and read it within 15 s.');
  };
  const reserve: RequestHandler = async (request, response) => {
    const leave = caps.enter(await contextOf(services, request));
    const stream = new SharedStream(() => {
      streams.delete(stream.token);
      leave();
    });
    streams.set(stream.token, stream);
    response.status(201).type('text/plain').send(stream.token);
  };
  const methods: Readonly<Record<string, RequestHandler>> = {
    PUT: reserve,
    GET(request, response) {
      const stream = streamOf(request);
      if (stream.isRead) throw new ServiceError('request_in_progress', 'This stream is being read already.');
      stream.connect(response);
      if (services.draining.aborted) stream.end();
    },
    POST(request, response) {
      const stream = streamOf(request);
      const operationId = stream.admit(request.body?.extensions?.operationId);
      // Refused before it had a result.
      response.once('finish', () => response.statusCode === 202 || stream.stop(operationId));
      return execute(request, response, { stream, operationId });
    },
    DELETE(request, response) {
      const id = new URL(request.originalUrl, 'http://localhost').searchParams.get('operationId');
      streamOf(request).stop(id ?? '');
      response.status(200).end();
    },
  };
  return (request, response, next) => {
    const method = methods[request.method];
    if (method) return method(request, response, next);
    response.setHeader('Allow', Object.keys(methods).join(', '));
    throw new ServiceError('method_not_allowed', 'Streams take PUT, GET, POST and DELETE.');
  };
}
