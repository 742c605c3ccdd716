import { formatCount, formatPercent } from '../../../ui/numbers.ts';

interface CacheUse {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
}

/** 1,920 of 2,400 input tokens from cache, 62% cheaper. Null if the provider used no cache. */
export function cacheText(use: CacheUse, savings: number | null): string | null {
  if (use.cachedInputTokens + use.cacheWriteTokens === 0) return null;
  const tokens = `${formatCount(use.cachedInputTokens)} of ${formatCount(use.inputTokens)} input tokens from cache`;
  if (savings === null || savings === 0) return tokens;
  return `${tokens}, ${formatPercent(Math.abs(savings), 1)} ${savings > 0 ? 'cheaper' : 'more expensive'}`;
}
