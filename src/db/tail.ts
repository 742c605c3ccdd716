import type { PubSub } from './pub-sub.ts';
import { TopicSubscription } from './topic-subscription.ts';

/** The first wait for an open transaction that holds back rows. It doubles with each wait. */
const HELD_BACK_MS = 10;

/** The outcome of one read. */
export interface TailRead {
  /** The read returned rows that the subscribers have not seen. */
  readonly hasNewRows: boolean;
  /** Another read would return more rows at once. */
  readonly hasMore: boolean;
  /** Rows wait for an older transaction to end. No notification reports its end. */
  readonly isHeldBack: boolean;
  /** Rows change without a notification then, because they expire. The next read is not later. */
  readonly againInMs?: number;
}

/**
 * Reads the new rows of a log once for all subscribers in this process: at each notification, and by polling.
 * It checks no permissions, so callers must check them before they subscribe.
 */
export abstract class Tail {
  readonly #pubSub: PubSub;
  readonly #topics: readonly string[];
  readonly #subscribers = new Set<() => void>();
  #subscription: TopicSubscription | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** Callbacks that wait for a read that begins after they were added. */
  #refreshes: (() => void)[] = [];

  constructor(pubSub: PubSub, topics: readonly string[]) {
    this.#pubSub = pubSub;
    this.#topics = topics;
  }

  /** Reads the rows after the last read. */
  protected abstract readNext(): Promise<TailRead>;

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0;
  }

  /** Calls `notify` after each read that returned new rows or failed. Returns a function that unsubscribes. */
  subscribe(notify: () => void): () => void {
    this.#subscribers.add(notify);
    if (!this.#subscription) {
      this.#subscription = new TopicSubscription(this.#pubSub, ...this.#topics);
      void this.#run(this.#subscription);
    }
    return () => {
      this.#subscribers.delete(notify);
      if (!this.hasSubscribers) this.#subscription?.close();
    };
  }

  /** Resolves after a read that began after this call. Only subscribers may call it. */
  refresh(): Promise<void> {
    return new Promise((resolve) => {
      this.#refreshes.push(resolve);
      this.#subscription?.notify();
    });
  }

  /** @throws the error of the last read, if it failed */
  protected requireReadable(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #run(subscription: TopicSubscription): Promise<void> {
    let heldBackMs = HELD_BACK_MS;
    while (this.hasSubscribers) {
      const refreshes = this.#refreshes.splice(0);
      const { hasNewRows, hasMore, isHeldBack, againInMs } = await this.#readSafely();
      for (const resolve of refreshes) resolve();
      if (hasNewRows) {
        for (const notify of [...this.#subscribers]) notify();
        heldBackMs = HELD_BACK_MS;
      }
      if (hasMore) continue;
      await subscription.wait(isHeldBack ? heldBackMs : againInMs);
      if (isHeldBack) heldBackMs *= 2;
    }
    for (const resolve of this.#refreshes.splice(0)) resolve();
  }

  /** Reports a failed read as new rows, so every subscriber reads and gets the error. */
  async #readSafely(): Promise<TailRead> {
    try {
      const read = await this.readNext();
      this.#failure = undefined;
      return read;
    } catch (error) {
      this.#failure = { error };
      return { hasNewRows: true, hasMore: false, isHeldBack: false };
    }
  }
}

interface NamedTail<T> {
  readonly name: string;
  readonly tail: T;
}

/** The tails that have subscribers in this process. */
export class Tails {
  readonly #tails = new Map<string, NamedTail<Tail>>();

  /**
   * Returns the tail of this key, or a new one. The key must contain everything that the rows depend on, first the
   * environment. The tail is stored as long as it has subscribers.
   */
  get<T extends Tail>(key: readonly unknown[], create: () => T): { tail: T; subscribe: Tail['subscribe'] } {
    const name = JSON.stringify(key);
    // Subscribers hold on to one string, not to a copy each.
    const named = (this.#tails.get(name) as NamedTail<T> | undefined) ?? { name, tail: create() };
    return { tail: named.tail, subscribe: (notify) => this.#subscribe(named, notify) };
  }

  #subscribe(named: NamedTail<Tail>, notify: () => void): () => void {
    const { tail } = named;
    this.#tails.set(named.name, named);
    const unsubscribe = tail.subscribe(notify);
    return () => {
      unsubscribe();
      if (!tail.hasSubscribers && this.#tails.get(named.name) === named) this.#tails.delete(named.name);
    };
  }

  get size(): number {
    return this.#tails.size;
  }
}
