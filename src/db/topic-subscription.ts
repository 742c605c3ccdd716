import type { PubSub } from './pub-sub.ts';

/** The poll interval, in case a notification was lost. */
const POLL_MS = 1_000;

/** Collects notifications of some topics for one waiter. Notifications that arrive between waits count as one. */
export class TopicSubscription {
  readonly #unsubscribes: (() => void)[];
  #isPending = false;
  #endWait: (() => void) | undefined;

  /** Subscribes at once. Call `close` to unsubscribe. */
  constructor(pubSub: Pick<PubSub, 'subscribe'>, ...topics: readonly string[]) {
    this.#unsubscribes = topics.map((topic) => pubSub.subscribe(topic, () => this.notify()));
  }

  /** Resolves at the next notification, or at one since the last wait, or after `withinMs`. */
  async wait(withinMs: number = POLL_MS): Promise<void> {
    if (!this.#isPending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(withinMs, POLL_MS));
        this.#endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isPending = false;
    this.#endWait = undefined;
  }

  /** Unsubscribes, and ends the current wait. */
  close(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    this.notify();
  }

  /** Acts as if one of the topics had been published. */
  notify(): void {
    this.#isPending = true;
    this.#endWait?.();
  }
}

/**
 * Calls `read` at once and after each notification of `topic`, until it returns a value. Also polls. When `stopped` is
 * aborted, it reads once more, and returns undefined if there is still no value.
 */
export async function waitForResult<T>(
  { pubSub, stopped }: { readonly pubSub: PubSub; readonly stopped: AbortSignal },
  topic: string,
  read: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const subscription = new TopicSubscription(pubSub, topic);
  const wake = () => subscription.notify();
  stopped.addEventListener('abort', wake);
  try {
    for (;;) {
      const isLast = stopped.aborted;
      const result = await read();
      if (result !== undefined || isLast) return result;
      await subscription.wait();
    }
  } finally {
    stopped.removeEventListener('abort', wake);
    subscription.close();
  }
}
