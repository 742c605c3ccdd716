import { describe, expect, it } from 'vitest';
import { addUsage, storableUsage, usageSince } from '../../src/contract/token-usage.ts';

const MOST = 2_147_483_647;

const usage = (inputTokens: number, cachedInputTokens: number, cacheWriteTokens: number, outputTokens = 0) => ({
  ...{ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens },
});

describe('the counts of tokens', () => {
  it.each([
    [usage(10, 4, 3, 2), usage(10, 4, 3, 2)],
    [usage(10, 12, 3), usage(10, 10, 0)],
    [usage(10, 8, 3), usage(10, 8, 2)],
    [usage(-1, 8, 3, -1), usage(0, 0, 0, 0)],
    [usage(9.5, 1.5, 0.5), usage(10, 2, 1)],
    [usage(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 5), usage(MOST, MOST, 0)],
  ])('%j can be stored as %j', (counts, stored) => expect(storableUsage(counts)).toEqual(stored));

  it('add up to the highest count at most, and their parts to their sum at most', () => {
    expect(addUsage(usage(1, 1, 0, 1), usage(2, 0, 2, 1))).toEqual(usage(3, 1, 2, 2));
    const most = usage(MOST, MOST - 5, 5, MOST);
    expect(addUsage(most, most)).toEqual(usage(MOST, MOST, 0, MOST));
  });

  it('since an earlier time are never negative: an earlier release counts no tokens of the cache', () => {
    expect(usageSince(usage(30, 20, 5, 9), usage(10, 4, 1, 2))).toEqual(usage(20, 16, 4, 7));
    expect(usageSince(usage(30, 20, 0), usage(15, 0, 0))).toEqual(usage(15, 15, 0));
    expect(usageSince(usage(30, 4, 0), usage(10, 9, 0))).toEqual(usage(20, 0, 0));
  });
});
