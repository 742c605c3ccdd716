import { setTimeout as pause } from 'node:timers/promises';
import { Follower, type Subscribe } from './follower.ts';

/** The shortest interval between two messages. Faster changes are combined. */
const PACE_MS = 250;

/**
 * Follows with at most four messages per second. The first message comes at once. `read` returns undefined if it has
 * nothing to report. `refresh` is false for a new subscription: only after a cursor can there be earlier changes.
 */
export function followPaced<T>(
  subscribe: Subscribe,
  refresh: false | (() => Promise<unknown>),
  read: (isFirst: boolean) => Promise<T | undefined>,
): AsyncIterableIterator<T> {
  let isFirst = true;
  return new Follower(subscribe, async () => {
    if (!isFirst) await pause(PACE_MS, undefined, { ref: false });
    else if (refresh) await refresh();
    const item = await read(isFirst);
    isFirst = false;
    return item === undefined ? [] : [item];
  });
}
