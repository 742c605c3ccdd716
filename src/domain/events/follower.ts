const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Calls `notify` whenever there may be new items. Returns a function that unsubscribes. */
export type Subscribe = (notify: () => void) => () => void;

/**
 * All items that exist now, or a promise of some of them. What is known at once costs a subscriber no promise, and it
 * reads again only after a notification.
 */
export type Read<T> = () => readonly T[] | Promise<readonly T[]>;

/** Receives the items of a feed without a promise for each of them. */
export interface Sink<T> {
  /** Returns whether it takes the next item at once. If not, it calls the function that `flow` returned. */
  push(item: T): boolean;
  /** Ends the feed. */
  end(): void;
  /** Ends the feed with the error that made it fail. */
  fail(error: unknown): void;
}

/** A feed that can push its items. */
export interface Flowing<T> {
  /** Pushes items until the sink takes no more. Returns a function that continues. Replaces calls of `next`. */
  flow(sink: Sink<T>): () => void;
}

interface Call<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

/**
 * Iterates over the items that `read` returns, and waits for a notification if `read` returns no items. It reads only when the
 * consumer requests the next item, so a slow consumer uses no memory. A feed has thousands of them, so a notification
 * reads and resolves in the same tick if it can.
 *
 * This is not a generator, because `return` of a generator would wait for the pending item.
 */
export class Follower<T> implements AsyncIterableIterator<T>, Flowing<T> {
  readonly #unsubscribe: () => void;
  readonly #read: Read<T>;
  #ready: readonly T[] = [];
  #nextReady = 0;
  /** Calls of `next` without a result, in their order. */
  readonly #calls: Call<T>[] = [];
  #isNotified = true;
  #isReading = false;
  #isEnded = false;
  /** Set after `flow`, until the end. */
  #sink: Sink<T> | undefined;
  /** Whether the sink takes an item. */
  #isFlowing = false;

  constructor(join: Subscribe, read: Read<T>) {
    this.#read = read;
    this.#unsubscribe = join(() => this.#notify());
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      this.#calls.push({ resolve, reject });
      this.#advance();
    });
  }

  flow(sink: Sink<T>): () => void {
    this.#sink = sink;
    const resume = () => {
      this.#isFlowing = this.#sink !== undefined;
      this.#advance();
    };
    resume();
    return resume;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves calls, or pushes, until the calls or the items run out. */
  #advance(): void {
    while ((this.#isFlowing || this.#calls.length > 0) && !this.#isReading) {
      if (this.#isEnded) {
        this.#close((sink) => sink.end());
        this.#calls.shift()?.resolve(ENDED);
      } else if (this.#nextReady < this.#ready.length) {
        const value = this.#ready[this.#nextReady] as T;
        this.#nextReady += 1;
        if (this.#sink) this.#isFlowing = this.#sink.push(value);
        else this.#calls.shift()?.resolve({ done: false, value });
      } else if (this.#isNotified) {
        this.#readBatch();
      } else {
        return;
      }
    }
  }

  #readBatch(): void {
    this.#isNotified = false;
    try {
      const batch = this.#read();
      if (batch instanceof Promise) this.#await(batch);
      else this.#take(batch);
    } catch (error) {
      this.#fail(error);
    }
  }

  #await(batch: Promise<readonly T[]>): void {
    this.#isReading = true;
    batch.then(
      (items) => {
        this.#isReading = false;
        this.#take(items);
        // There can be more items than one read returns.
        if (items.length > 0) this.#isNotified = true;
        this.#advance();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #take(items: readonly T[]): void {
    this.#ready = items;
    this.#nextReady = 0;
  }

  #fail(error: unknown): void {
    this.#isReading = false;
    // Before `#end`, which would end the sink or resolve the call.
    this.#close((sink) => sink.fail(error));
    this.#calls.shift()?.reject(error);
    this.#end();
  }

  #close(close: (sink: Sink<T>) => void): void {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#isFlowing = false;
    if (sink) close(sink);
  }

  #notify(): void {
    this.#isNotified = true;
    this.#advance();
  }

  /** Ends pending calls at once, also during a query. */
  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isReading = false;
    this.#ready = [];
    this.#unsubscribe();
    this.#advance();
  }
}
