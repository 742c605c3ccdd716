import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { localPubSub } from '../../src/db/pub-sub.ts';
import { Tail, type TailRead } from '../../src/db/tail.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A tail whose rows expire after this time. */
class ExpiringTail extends Tail {
  reads = 0;
  readonly #againInMs: number | undefined;

  constructor(againInMs: number | undefined) {
    super(localPubSub(), ['topic']);
    this.#againInMs = againInMs;
  }

  protected async readNext(): Promise<TailRead> {
    this.reads += 1;
    const again = this.#againInMs === undefined ? {} : { againInMs: this.#againInMs };
    return { hasNewRows: false, hasMore: false, isHeldBack: false, ...again };
  }
}

it.each([
  ['when a row expires', 40, 40],
  ['every second without rows that expire', undefined, 1_000],
  ['every second with rows that expire later', 60_000, 1_000],
])('reads again %s', async (_when, againInMs, expectedMs) => {
  const tail = new ExpiringTail(againInMs);
  const end = tail.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(tail.reads).toBe(1);
  await vi.advanceTimersByTimeAsync(expectedMs - 1);
  expect(tail.reads).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(tail.reads).toBe(2);
  end();
});
