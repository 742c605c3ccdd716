import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may run before other requests get their turn. */
const SLICE_MS = 10;

/** Pauses long work between its parts, so that it does not hold up other requests and its own time limit. */
export class Pace {
  #sinceMs = performance.now();

  /** Undefined: the work may continue at once. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#sinceMs < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      this.#sinceMs = performance.now();
    });
  }
}
