import type { Live } from './live.ts';
import { Wakes } from './wakes.ts';

/** First wait for a transaction that holds something back. */
const HELD_BACK_MS = 10;

/** What a look has found. */
export interface Look {
  /** Something that followers have not been told. */
  readonly hasNews: boolean;
  /** There is more to be read at once. */
  readonly hasMore: boolean;
  /** Something waits for an older transaction to end, of whose end nobody tells. */
  readonly isHeldBack: boolean;
}

/**
 * The end of what some followers follow, read once for all of them: at each wake-up, and from time to time in case one
 * was lost, for as long as anybody follows. It knows nobody: whoever joins has shown before that they may read it.
 */
export abstract class Tail {
  readonly #live: Live;
  readonly #topics: readonly string[];
  readonly #followers = new Set<() => void>();
  #wakes: Wakes | undefined;
  #fault: { readonly error: unknown } | undefined;
  /** Who waits for a look that begins after they have asked. */
  #asking: (() => void)[] = [];

  constructor(live: Live, topics: readonly string[]) {
    this.#live = live;
    this.#topics = topics;
  }

  /** Reads on. */
  protected abstract look(): Promise<Look>;

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Calls `wake` whenever there is something new, or reading fails, until the function that it answers is called. */
  join(wake: () => void): () => void {
    this.#followers.add(wake);
    if (!this.#wakes) {
      this.#wakes = new Wakes(this.#live, ...this.#topics);
      void this.#run(this.#wakes);
    }
    return () => {
      this.#followers.delete(wake);
      if (!this.isFollowed) this.#wakes?.close();
    };
  }

  /** Resolves once there was a look that began after this was called. For those who have joined. */
  fresh(): Promise<void> {
    return new Promise((resolve) => {
      this.#asking.push(resolve);
      this.#wakes?.wake();
    });
  }

  /** @throws what the last look has thrown */
  protected requireReadable(): void {
    if (this.#fault) throw this.#fault.error;
  }

  async #run(wakes: Wakes): Promise<void> {
    let heldBackMs = HELD_BACK_MS;
    while (this.isFollowed) {
      const asking = this.#asking.splice(0);
      const { hasNews, hasMore, isHeldBack } = await this.#lookSafely();
      for (const answer of asking) answer();
      if (hasNews) {
        for (const wake of [...this.#followers]) wake();
        heldBackMs = HELD_BACK_MS;
      }
      if (hasMore) continue;
      await wakes.wait(isHeldBack ? heldBackMs : undefined);
      if (isHeldBack) heldBackMs *= 2;
    }
    for (const answer of this.#asking.splice(0)) answer();
  }

  /** A failed look is news: each follower is to tell of it. */
  async #lookSafely(): Promise<Look> {
    try {
      const look = await this.look();
      this.#fault = undefined;
      return look;
    } catch (error) {
      this.#fault = { error };
      return { hasNews: true, hasMore: false, isHeldBack: false };
    }
  }
}

interface Named<T> {
  readonly name: string;
  readonly tail: T;
}

/** The tails that are followed in this process. */
export class Tails {
  readonly #tails = new Map<string, Named<Tail>>();

  /**
   * The tail of this key, which names all that its rows depend on: the environment before anything else. `join` keeps
   * it, until all who joined have left.
   */
  of<T extends Tail>(key: readonly unknown[], make: () => T): { tail: T; join: Tail['join'] } {
    const name = JSON.stringify(key);
    // Whoever follows keeps the name that all of them share.
    const named = (this.#tails.get(name) as Named<T> | undefined) ?? { name, tail: make() };
    return { tail: named.tail, join: (wake) => this.#join(named, wake) };
  }

  #join(named: Named<Tail>, wake: () => void): () => void {
    const { tail } = named;
    this.#tails.set(named.name, named);
    const leave = tail.join(wake);
    return () => {
      leave();
      if (!tail.isFollowed && this.#tails.get(named.name) === named) this.#tails.delete(named.name);
    };
  }

  /** How many there are. */
  get size(): number {
    return this.#tails.size;
  }
}
