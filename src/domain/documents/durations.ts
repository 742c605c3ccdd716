/**
 * A histogram of response times: the number of calls in each class. A class ends at 2^(1/4) times the end of the class
 * before, and the first one ends at 1 ms. Classes after the last one with a call are missing.
 */
export type Durations = readonly number[];

const CLASSES_PER_DOUBLING = 4;

/** The last class has all calls of more than 65 seconds. */
const LAST_CLASS = 16 * CLASSES_PER_DOUBLING + 1;

/** Counts a call. */
export function addDuration(durations: number[], ms: number): void {
  const index = ms <= 1 ? 0 : Math.min(Math.ceil(Math.log2(ms) * CLASSES_PER_DOUBLING), LAST_CLASS);
  while (durations.length <= index) durations.push(0);
  durations[index] = (durations[index] ?? 0) + 1;
}

export function sumOfDurations(all: readonly Durations[]): Durations {
  const length = Math.max(0, ...all.map((durations) => durations.length));
  return Array.from({ length }, (_, index) => all.reduce((sum, durations) => sum + (durations[index] ?? 0), 0));
}

/** The response time in milliseconds that this share of the calls does not exceed, within 10 %. Null: no calls. */
export function percentileMs(durations: Durations, share: number): number | null {
  const rank = share * durations.reduce((sum, calls) => sum + calls, 0);
  if (rank === 0) return null;
  let calls = 0;
  const index = durations.findIndex((count) => {
    calls += count;
    return calls >= rank;
  });
  // The middle of the class. The error is half a class: 2^(1/8).
  return 2 ** ((index - 0.5) / CLASSES_PER_DOUBLING);
}
