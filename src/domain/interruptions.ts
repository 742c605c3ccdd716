import type { PubSub } from '../db/pub-sub.ts';

/** The topic that wakes every process: one of its runs may have been interrupted. */
export const INTERRUPTIONS = 'interruptions';

/** Lets every process look for runs that it must stop, after a commit that marked one. */
export function requestInterruption(pubSub: PubSub): void {
  pubSub.publish(INTERRUPTIONS);
}
