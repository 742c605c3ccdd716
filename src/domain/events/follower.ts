import type { Wakes } from '../../db/wakes.ts';

/** What has come since it was last asked, in order. */
export interface FollowedBatch<T> {
  readonly items: readonly T[];
  /** Something waits for an older transaction to end, of whose end nobody tells. */
  readonly heldBack: boolean;
}

/** First wait for a transaction that holds something back. */
const HELD_BACK_MS = 10;

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Answers what `read` finds, item by item, and waits for a wake-up where that is nothing. It reads on only when it is
 * asked for more, so one that is slow to ask costs no memory.
 *
 * Not a generator: its `return` would wait for the item that is being waited for.
 */
export class Follower<T> implements AsyncIterableIterator<T> {
  readonly #wakes: Wakes;
  readonly #readBatch: () => Promise<FollowedBatch<T>>;
  #ready: T[] = [];
  #heldBackMs = HELD_BACK_MS;
  #ended = false;
  #release: (() => void) | undefined;
  /** Calls of `next` are answered one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(wakes: Wakes, read: () => Promise<FollowedBatch<T>>) {
    this.#wakes = wakes;
    this.#readBatch = read;
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
      await this.#read();
    }
    return ENDED;
  }

  /** Reads the next batch, or waits where there is none. */
  async #read(): Promise<void> {
    const { items, heldBack } = await this.#readBatch();
    this.#ready = [...items];
    if (items.length > 0) this.#heldBackMs = HELD_BACK_MS;
    else if (heldBack) {
      await this.#wakes.wait(this.#heldBackMs);
      this.#heldBackMs *= 2;
    } else await this.#wakes.wait();
  }

  #end(): void {
    this.#ended = true;
    this.#ready = [];
    this.#wakes.close();
    this.#release?.();
  }
}
