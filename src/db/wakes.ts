import type { Live } from './live.ts';

/** How often to look again in case a wake-up was lost. */
const POLL_MS = 1_000;

/** Wake-ups of some topics for one waiter. Those that come while nobody waits count as one. */
export class Wakes {
  readonly #stops: (() => void)[];
  #pending = false;
  #release: (() => void) | undefined;

  /** Listens from now on, until it is closed. */
  constructor(live: Live, ...topics: readonly string[]) {
    this.#stops = topics.map((topic) => live.listen(topic, () => this.wake()));
  }

  /** Resolves at the next wake-up, or at one that came since the last wait; after `withinMs` at the latest. */
  async wait(withinMs: number = POLL_MS): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(withinMs, POLL_MS));
        this.#release = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#pending = false;
    this.#release = undefined;
  }

  /** Stops listening, and lets whoever waits go on. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.wake();
  }

  /** As if one of the topics had been published. */
  wake(): void {
    this.#pending = true;
    this.#release?.();
  }
}
