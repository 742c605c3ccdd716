import type { Dispatcher } from 'undici';
import { Pace } from '../../bounds/pace.ts';
import { LIMITS } from '../../contract/limits.ts';
import { unreadable } from '../unreadable.ts';
import { ReplyEvents } from './events.ts';

/** The shortest interval between two deliveries of a streamed reply, in milliseconds. */
const PACE_MS = 50;

/** So many pieces of a reply are delivered at once: its first words, and all of a short reply. */
const FIRST_PIECES = 8;

/** Bytes that wait for their reader. With more, the provider has to wait. */
const WAITING_BYTES = 256 * 1024;

/** What a waiting piece takes in addition to its bytes: a provider can send each byte alone. */
const PIECE_BYTES = 64;

/** Bytes that are split into lines at once. */
const SLICE_BYTES = 32 * 1024;

/** How long a provider may take to end its response after the end of its reply. */
const END_MS = 1_000;

type Controller = Dispatcher.DispatchController;

export interface ResponseStart {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** The response of a provider, as the data of its server-sent events. The signal aborts it. */
export class ReplyStream implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #events = new ReplyEvents();
  #controller: Controller | undefined;
  #resolve: (start: ResponseStart) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #isCompressed = false;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #bytesLeft: number = LIMITS.providerReplyBytes;
  #pieces = 0;
  #deliveredMs = 0;
  /** Continues the reader that waits, at the next chunk or only at the end of its pause. */
  #wake: { readonly resume: () => void; readonly isPause: boolean } | undefined;
  #isReleased = false;
  #end: { readonly error?: unknown } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Sends the request. Resolves with the beginning of the response. */
  start(send: (handler: Dispatcher.DispatchHandler) => void): Promise<ResponseStart> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#signal?.throwIfAborted();
      this.#signal?.addEventListener('abort', this.#abort, { once: true });
      send(this);
    });
  }

  /**
   * The events that have arrived since the last call, at least one. Undefined after the last one. The adapters and the
   * listeners of a step cost more for a delivery than for its events, so the events of 50 ms are delivered together.
   */
  async next(): Promise<readonly string[] | undefined> {
    if (this.#isCompressed) {
      this.release();
      throw unreadable('The reply is compressed.');
    }
    // Bytes without an event can arrive as fast as they are read.
    const pace = new Pace();
    for (;;) {
      await this.#untilDue();
      if (this.#chunks.length === 0) return this.#ended();
      this.#deliveredMs = performance.now();
      // A line is joined once for each slice. A chunk can be as small as a byte.
      const bytes = Buffer.concat(this.#takeChunks());
      for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
        this.#events.feed(bytes.subarray(start, start + SLICE_BYTES));
        await pace.pause();
      }
      const events = this.#events.take();
      if (events.length > 0) return events;
    }
  }

  /** The body of another response, at most so many bytes of it. */
  async readBody(maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const body: Buffer[] = [];
    let size = 0;
    while (this.#chunks.length > 0 || !this.#end) {
      if (this.#chunks.length === 0) await this.#wait();
      const read = Buffer.concat(this.#takeChunks());
      body.push(read);
      size += read.length;
      if (size >= maxBytes) break;
    }
    this.#signal?.throwIfAborted();
    this.release();
    return this.#isCompressed ? new Uint8Array() : new Uint8Array(Buffer.concat(body).subarray(0, maxBytes));
  }

  /** Ends the reading before the end of the response. Its connection is kept if the provider ends it soon. */
  release(): void {
    this.#isReleased = true;
    this.#takeChunks();
    if (!this.#end) this.#timer = setTimeout(() => this.#fail(new Error('The reply has not ended.')), END_MS).unref();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#end) controller.abort(new Error('The reply is not needed.'));
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 100 || status === 101) this.#fail(unreadable(`The response has the status ${status}.`));
    // Another response follows.
    if (status < 200) return;
    const fields = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    this.#isCompressed = (headers['content-encoding'] ?? 'identity') !== 'identity';
    this.#resolve({ status, headers: new Map(fields) });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0) this.#fail(unreadable('The reply is too long.'));
    if (this.#isReleased || this.#end) return;
    this.#chunks.push(chunk);
    this.#pieces += 1;
    this.#waitingBytes += chunk.length + PIECE_BYTES;
    const isFull = this.#waitingBytes > WAITING_BYTES;
    if (isFull) controller.pause();
    if (this.#wake && (isFull || !this.#wake.isPause)) this.#wake.resume();
  }

  onResponseEnd(): void {
    this.#close({});
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#close({ error });
    // The adapters recognize a failed connection by this error of `fetch`.
    this.#reject(new TypeError('fetch failed', { cause: error }));
  }

  readonly #abort = () => this.#fail(this.#signal?.reason);

  #fail(error: unknown): void {
    this.#close({ error });
    this.#reject(error);
    this.#controller?.abort(error as Error);
  }

  #close(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#wake?.resume();
  }

  /** Waits for something to deliver, or for the end. */
  async #untilDue(): Promise<void> {
    if (this.#chunks.length === 0 && !this.#end) await this.#wait();
    if (this.#pieces <= FIRST_PIECES || this.#end || this.#waitingBytes > WAITING_BYTES) return;
    const waitMs = this.#deliveredMs + PACE_MS - performance.now();
    if (waitMs > 0) await this.#wait(waitMs);
  }

  #ended(): readonly string[] | undefined {
    if (this.#end && 'error' in this.#end) throw this.#end.error;
    const events = this.#events.end();
    return events.length > 0 ? events : undefined;
  }

  #wait(pauseMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = pauseMs === undefined ? undefined : setTimeout(() => this.#wake?.resume(), pauseMs);
      const resume = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = { resume, isPause: timer !== undefined };
    });
  }

  #takeChunks(): Buffer[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#waitingBytes = 0;
    if (this.#controller?.paused) this.#controller.resume();
    return chunks;
  }
}
