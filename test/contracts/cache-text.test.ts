import { expect, it } from 'vitest';
import { cacheText } from '../../src/web/dashboard/conversations/trace/cache-text.ts';

const use = (cachedInputTokens: number, cacheWriteTokens = 0) => ({
  ...{ inputTokens: 2_400, cachedInputTokens, cacheWriteTokens },
});

it.each([
  [use(1_920), 0.62, '1,920 of 2,400 input tokens from cache, 62% cheaper'],
  [use(0, 2_000), -0.208_3, '0 of 2,400 input tokens from cache, 20.8% more expensive'],
  [use(1_920), 0, '1,920 of 2,400 input tokens from cache'],
  [use(1_920), null, '1,920 of 2,400 input tokens from cache'],
  [use(0), 0, null],
])('the cache of %j, which saved %s, is described as %s', (counts, savings, text) => {
  expect(cacheText(counts, savings)).toBe(text);
});
