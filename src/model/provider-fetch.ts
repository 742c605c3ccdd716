import { Agent, DecoratorHandler, type Dispatcher, fetch as fetchByUndici, type RequestInit } from 'undici';
import { withFiniteCounts } from './token-counts.ts';

/** The shortest interval between two deliveries of a streamed reply, in milliseconds. */
const PACE_MS = 50;

/** So many pieces of a reply are delivered at once: its first words, and all of a short reply. */
const FIRST_PIECES = 8;

const LINE_FEED = 0x0a;

type Controller = Dispatcher.DispatchController;
type Handler = Dispatcher.DispatchHandler;
type HeaderFields = Parameters<NonNullable<Handler['onResponseStart']>>[2];

interface ResponseMethods {
  onResponseStart(controller: Controller, status: number, headers: HeaderFields, message?: string): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(controller: Controller, trailers: HeaderFields): void;
  onResponseError(controller: Controller, error: Error): void;
}

/** undici's types lack its methods. */
const Decorator = DecoratorHandler as unknown as new (handler: Handler) => ResponseMethods;

const agent = new Agent().compose((dispatch) => (options, handler) => dispatch(options, new ReplyHandler(handler)));

/**
 * The fetch of all providers. It delivers a streamed reply in whole lines and repairs their token counts. The adapters
 * pass each delivery through six web streams, which costs more than all other work on a token. So the lines that arrive
 * within 50 ms are delivered together.
 */
export const providerFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  // The lines of a compressed reply cannot be read here.
  headers.set('accept-encoding', 'identity');
  // The types of the platform and of undici do not differ in the properties that are used.
  const request = { ...init, headers, dispatcher: agent } as unknown as RequestInit;
  return fetchByUndici(input as string, request) as unknown as Promise<Response>;
};

/** Collects the lines of a streamed reply. Any other response passes unchanged. */
class ReplyHandler extends Decorator {
  #isStream = false;
  /** Whole lines that are not delivered yet. */
  #lines: Buffer[] = [];
  /** The beginning of a line. */
  #rest: Buffer[] = [];
  #pieces = 0;
  #deliveredMs = 0;
  #timer: NodeJS.Timeout | undefined;

  override onResponseStart(controller: Controller, status: number, headers: HeaderFields, message?: string): void {
    const type = String(headers['content-type'] ?? '');
    this.#isStream = type.includes('text/event-stream') && headers['content-encoding'] === undefined;
    super.onResponseStart(controller, status, headers, message);
  }

  override onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#isStream) this.#collect(controller, chunk);
    else super.onResponseData(controller, chunk);
  }

  override onResponseEnd(controller: Controller, trailers: HeaderFields): void {
    this.#deliverRest(controller);
    super.onResponseEnd(controller, trailers);
  }

  override onResponseError(controller: Controller, error: Error): void {
    // An error discards what a web stream has not passed on, and the text before an error is kept.
    if (this.#deliverRest(controller)) setImmediate(() => super.onResponseError(controller, error));
    else super.onResponseError(controller, error);
  }

  #collect(controller: Controller, chunk: Buffer): void {
    this.#pieces += 1;
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) this.#lines.push(...this.#rest.splice(0), chunk.subarray(0, end));
    if (end < chunk.length) this.#rest.push(chunk.subarray(end));
    if (this.#timer || this.#lines.length === 0) return;
    const waitMs = this.#pieces <= FIRST_PIECES ? 0 : this.#deliveredMs + PACE_MS - performance.now();
    if (waitMs <= 0) this.#deliver(controller);
    else this.#timer = setTimeout(() => this.#deliver(controller), waitMs);
  }

  #deliver(controller: Controller): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deliveredMs = performance.now();
    const lines = withFiniteCounts(Buffer.concat(this.#lines.splice(0)));
    super.onResponseData(controller, lines);
  }

  /** Returns whether there was something to deliver. */
  #deliverRest(controller: Controller): boolean {
    clearTimeout(this.#timer);
    this.#lines.push(...this.#rest.splice(0));
    if (this.#lines.length === 0) return false;
    this.#deliver(controller);
    return true;
  }
}
