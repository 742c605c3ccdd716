const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Calls `notify` whenever there may be new items. Returns a function that unsubscribes. */
export type Subscribe = (notify: () => void) => () => void;

/**
 * Iterates over the items that `read` returns, and waits for a notification if `read` returns no items. It reads only when the
 * consumer requests the next item, so a slow consumer uses no memory.
 *
 * This is not a generator, because `return` of a generator would wait for the pending item.
 */
export class Follower<T> implements AsyncIterableIterator<T> {
  readonly #unsubscribe: () => void;
  readonly #readBatch: () => Promise<readonly T[]>;
  #ready: T[] = [];
  #isNotified = false;
  #resume: (() => void) | undefined;
  #isEnded = false;
  #resolveAsEnded: (() => void) | undefined;
  /** Calls of `next` run one after another. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(join: Subscribe, read: () => Promise<readonly T[]>) {
    this.#readBatch = read;
    this.#unsubscribe = join(() => this.#notify());
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const result = this.#queue.then(() => this.#nextOrEnd());
    this.#queue = result.catch(() => {});
    return result;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next item, or the end. `return` ends it at once, also during a query. */
  #nextOrEnd(): Promise<IteratorResult<T, undefined>> {
    if (this.#isEnded) return Promise.resolve(ENDED);
    return new Promise((resolve, reject) => {
      this.#resolveAsEnded = () => resolve(ENDED);
      this.#advance().then(resolve, (error: unknown) => {
        // Before `#end`, which would resolve the promise.
        reject(error);
        this.#end();
      });
    });
  }

  async #advance(): Promise<IteratorResult<T, undefined>> {
    while (!this.#isEnded) {
      const next = this.#ready.shift();
      if (next) return { done: false, value: next };
      this.#isNotified = false;
      this.#ready = [...(await this.#readBatch())];
      if (this.#ready.length === 0) await this.#waitForNotification();
    }
    return ENDED;
  }

  /** Returns at once if a notification came during the last read. */
  #waitForNotification(): Promise<void> | undefined {
    if (this.#isNotified) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #notify(): void {
    this.#isNotified = true;
    this.#resume?.();
    this.#resume = undefined;
  }

  #end(): void {
    this.#isEnded = true;
    this.#ready = [];
    this.#unsubscribe();
    this.#notify();
    this.#resolveAsEnded?.();
  }
}
