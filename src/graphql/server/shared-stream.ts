import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import type { ExecutionResult } from 'graphql';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { breakConnection } from '../../http/open-stream.ts';
import { drained } from '../../http/shared-chunk.ts';
import { keepAlive } from '../../operation/heartbeats.ts';
import type { Results } from '../../operation/subscription-results.ts';
import { publicResult } from './public-errors.ts';
import { SENT_EVENTS } from './sent-events.ts';
import { STREAM_HEADERS } from './stream-results.ts';

/** How long a reserved stream waits for its reader. */
export const RESERVED_MS = 15_000;

/**
 * One stream with the results of several operations. Before a reader connects, each operation buffers one result: at most
 * {@link LIMITS.operationsOfStream} of them, for {@link RESERVED_MS}.
 */
export class SharedStream {
  readonly token = randomUUID();
  readonly #operations = new Map<string, Results | undefined>();
  readonly #close: () => void;
  readonly #expiry: NodeJS.Timeout;
  readonly #connected: Promise<void>;
  #connect: () => void = () => {};
  #response: Response | undefined;
  #isInterrupted = false;

  constructor(close: () => void) {
    this.#close = close;
    this.#connected = new Promise((resolve) => {
      this.#connect = resolve;
    });
    this.#expiry = setTimeout(() => this.#end(), RESERVED_MS).unref();
  }

  get isRead(): boolean {
    return this.#response !== undefined;
  }

  connect(response: Response): void {
    clearTimeout(this.#expiry);
    this.#response = response;
    response.writeHead(200, { ...STREAM_HEADERS, 'content-type': SENT_EVENTS.contentType }).write(SENT_EVENTS.begin);
    const stopBeating = keepAlive(response);
    response.once('close', () => {
      stopBeating();
      this.#end();
    });
    this.#connect();
    this.#breakWhenIdle();
  }

  /** Reserves an operation ID of this stream. @throws {ServiceError} invalid_request, request_in_progress, rate_limited */
  admit(operationId: unknown): string {
    const param = ['extensions', 'operationId'];
    if (typeof operationId !== 'string' || operationId === '' || operationId.length > LIMITS.requestIdLength) {
      const message = `{param} must be a string of 1 to ${LIMITS.requestIdLength} characters. Choose any value.`;
      throw new ServiceError('invalid_request', message, { param });
    }
    if (this.#operations.has(operationId)) {
      throw new ServiceError('request_in_progress', '{param} names an operation that is still open.', { param });
    }
    if (this.#operations.size >= LIMITS.operationsOfStream) {
      throw new ServiceError(
        'rate_limited',
        `The maximum of ${LIMITS.operationsOfStream} open operations on this stream is reached. Stop an operation first.`,
      );
    }
    this.#operations.set(operationId, undefined);
    return operationId;
  }

  /** Sends the results of an operation with backpressure: the result, or all results of a subscription. */
  async run(id: string, result: ExecutionResult, iterator: Results | undefined): Promise<void> {
    if (iterator && this.#operations.has(id)) this.#operations.set(id, iterator);
    else await iterator?.return?.();
    for (let next = await nextOf(iterator, result); next; next = await nextOf(iterator)) {
      if (!(await this.#send('next', { id, payload: next }))) break;
    }
    if (iterator?.isInterrupted) this.interrupt(id);
    else await this.#complete(id);
  }

  /**
   * Breaks the connection, so that the reader reconnects and starts its operations again. Queries and replies end first,
   * because a client that starts a reply again sends its message twice.
   */
  interrupt(id?: string): void {
    if (id !== undefined) this.#operations.delete(id);
    this.#isInterrupted = true;
    this.#breakWhenIdle();
  }

  /** Ends an operation and sends `complete`. */
  async stop(id: string): Promise<void> {
    this.cancel(id);
    await this.#send('complete', { id });
    this.#breakWhenIdle();
  }

  /** Ends an operation without sending anything. */
  cancel(id: string): void {
    const iterator = this.#operations.get(id);
    this.#operations.delete(id);
    iterator?.return?.().catch(() => {});
  }

  async #complete(id: string): Promise<void> {
    if (this.#operations.delete(id)) await this.#send('complete', { id });
    this.#breakWhenIdle();
  }

  #breakWhenIdle(): void {
    if (!this.#isInterrupted || !this.#response) return;
    const operations = [...this.#operations];
    if (operations.some(([, results]) => !results?.isResumable)) return;
    for (const [id] of operations) this.cancel(id);
    breakConnection(this.#response);
  }

  #end(): void {
    for (const id of [...this.#operations.keys()]) this.cancel(id);
    this.#connect();
    this.#close();
  }

  /** Returns false if the reader has disconnected. */
  async #send(event: 'next' | 'complete', data: { readonly id: string; readonly payload?: unknown }): Promise<boolean> {
    await this.#connected;
    const response = this.#response;
    if (!response || response.closed) return false;
    // The operation can be stopped while its result waits for the reader.
    if (event === 'next' && !this.#operations.has(data.id)) return false;
    if (response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) return true;
    await drained(response);
    return !response.closed;
  }
}

async function nextOf(iterator: Results | undefined, single?: ExecutionResult): Promise<ExecutionResult | undefined> {
  if (!iterator) return single;
  const next = await iterator.next();
  return next.done ? undefined : publicResult(next.value.result);
}
