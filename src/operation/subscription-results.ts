import type { ExecutionResult, GraphQLError } from 'graphql';
import type { ServiceError } from '../contract/errors.ts';
import type { Flowing, Sink } from '../domain/events/follower.ts';
import { isTemporary } from './errors.ts';

/** One result of a stream. Subscribers that share an execution share the item. */
export interface StreamItem {
  readonly result: ExecutionResult;
  /** Where a subscription can resume after this result. Only feeds have cursors. */
  readonly cursor?: string | undefined;
  /** The item as a server-sent event, encoded by its first subscriber for all of them. */
  sentEvent?: Buffer;
  /** The item as a part of a multipart response, encoded in the same way. */
  multipartPart?: Buffer;
}

export interface Results extends AsyncIterableIterator<StreamItem, undefined> {
  /** Whether a client can continue after its last item. */
  readonly isResumable?: boolean;
  /**
   * After the last item: whether the stream stopped early. The transport then breaks the connection, because clients
   * reconnect only after that. A regular end means that the subscription ended permanently.
   */
  readonly isInterrupted?: boolean;
  /** Pushes the items, without a promise for each. Undefined if the source cannot push. Replaces calls of `next`. */
  flow?(sink: Sink<StreamItem>): (() => void) | undefined;
}

/** Turns any error into the error that the client receives. */
export type Describe = (error: unknown) => GraphQLError;

interface Steps {
  /** Executes the operation for an event of the source. */
  execute(event: unknown): StreamItem | Promise<StreamItem>;
  readonly describe: Describe;
  readonly isResumable: boolean;
  close(): void;
}

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The results of a subscription. If its source fails, the error is the last result. A temporary error interrupts a feed:
 * its client can continue.
 */
export class SubscriptionResults implements Results, Sink<unknown> {
  readonly #source: AsyncIterator<unknown>;
  readonly #steps: Steps;
  #isEnded = false;
  #isInterrupted = false;
  #stopped: ServiceError | undefined;
  #sink: Sink<StreamItem> | undefined;
  #resume: (() => void) | undefined;

  constructor(source: AsyncIterator<unknown>, steps: Steps) {
    this.#source = source;
    this.#steps = steps;
  }

  get isResumable(): boolean {
    return this.#steps.isResumable;
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    if (this.#isEnded) return ENDED;
    try {
      const { done, value: event } = await this.#source.next();
      if (this.#stopped) throw this.#stopped;
      if (done) return this.#end();
      const item = this.#steps.execute(event);
      return { done: false, value: item instanceof Promise ? await item : item };
    } catch (error) {
      return { done: false, value: this.#failure(error) };
    }
  }

  flow(sink: Sink<StreamItem>): (() => void) | undefined {
    const source = this.#source as Partial<Flowing<unknown>>;
    if (!source.flow) return undefined;
    this.#sink = sink;
    this.#resume = source.flow(this);
    return this.#resume;
  }

  push(event: unknown): boolean {
    try {
      if (this.#stopped) throw this.#stopped;
      const item = this.#steps.execute(event);
      if (!(item instanceof Promise)) return this.#sink?.push(item) ?? false;
      item.then(
        (executed) => {
          // The transport may have closed the response at the end.
          if (!this.#isEnded && this.#sink?.push(executed)) this.#resume?.();
        },
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      this.fail(error);
    }
    return false;
  }

  end(): void {
    if (this.#stopped) {
      this.fail(this.#stopped);
    } else {
      this.#end();
      this.#sink?.end();
    }
  }

  fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#sink?.push(this.#failure(error));
    this.#sink?.end();
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    await this.#source.return?.();
    return ENDED;
  }

  /** Ends the subscription. */
  complete(): void {
    this.#source.return?.().catch(() => {});
  }

  /** Ends the subscription with an error. */
  stop(error: ServiceError): void {
    this.#stopped = error;
    this.complete();
  }

  /** Ends the stream, not the subscription: its client reconnects and continues. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.complete();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #failure(error: unknown): StreamItem {
    this.#end();
    const described = this.#steps.describe(error);
    if (this.isResumable && isTemporary(described)) this.#isInterrupted = true;
    return { result: { errors: [described] } };
  }

  #end(): IteratorReturnResult<undefined> {
    if (!this.#isEnded) this.#steps.close();
    this.#isEnded = true;
    return ENDED;
  }
}

/** The cursor of a feed's event. */
export function cursorOf(event: unknown): string | undefined {
  return (event as { readonly cursor?: string } | undefined)?.cursor;
}
