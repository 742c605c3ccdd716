const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Calls `wake` whenever there may be something new, until the function that it answers is called. */
export type Join = (wake: () => void) => () => void;

/**
 * Answers what `read` finds, item by item, and waits for a wake-up where that is nothing. It reads on only when it is
 * asked for more, so one that is slow to ask costs no memory.
 *
 * Not a generator: its `return` would wait for the item that is being waited for.
 */
export class Follower<T> implements AsyncIterableIterator<T> {
  readonly #leave: () => void;
  readonly #readBatch: () => Promise<readonly T[]>;
  #ready: T[] = [];
  #isWoken = false;
  #goOn: (() => void) | undefined;
  #ended = false;
  #release: (() => void) | undefined;
  /** Calls of `next` are answered one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(join: Join, read: () => Promise<readonly T[]>) {
    this.#readBatch = read;
    this.#leave = join(() => this.#wake());
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const turn = this.#turn.then(() => this.#answer());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next item, or the end as soon as there is one, also while the database is being asked. */
  #answer(): Promise<IteratorResult<T, undefined>> {
    if (this.#ended) return Promise.resolve(ENDED);
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(ENDED);
      this.#advance().then(resolve, (error: unknown) => {
        // First, since the end would be an answer too.
        reject(error);
        this.#end();
      });
    });
  }

  async #advance(): Promise<IteratorResult<T, undefined>> {
    while (!this.#ended) {
      const next = this.#ready.shift();
      if (next) return { done: false, value: next };
      this.#isWoken = false;
      this.#ready = [...(await this.#readBatch())];
      if (this.#ready.length === 0) await this.#wakeUp();
    }
    return ENDED;
  }

  /** A wake-up that came while it was reading counts. */
  #wakeUp(): Promise<void> | undefined {
    if (this.#isWoken) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  #wake(): void {
    this.#isWoken = true;
    this.#goOn?.();
    this.#goOn = undefined;
  }

  #end(): void {
    this.#ended = true;
    this.#ready = [];
    this.#leave();
    this.#wake();
    this.#release?.();
  }
}
