import { snakeCase } from './snake-case.ts';

/** The counts of tokens of a model. Tables have a column for each. */
export const TOKEN_COUNTS = ['inputTokens', 'cachedInputTokens', 'cacheWriteTokens', 'outputTokens'] as const;

type TokenCount = (typeof TOKEN_COUNTS)[number];

/**
 * The tokens that a model read and wrote. `cachedInputTokens`, which the provider read from its cache, and
 * `cacheWriteTokens`, which it wrote to its cache, are parts of `inputTokens`.
 */
export type Usage = Readonly<Record<TokenCount, number>>;

export const NO_USAGE: Usage = usageOf(() => 0);

/** The highest count that the database and GraphQL accept. */
export const MOST_TOKENS = 2 ** 31 - 1;

/**
 * Converts a provider's counts, which can be any numbers, to whole numbers that the database accepts. The parts of the
 * input together are at most the input: otherwise its remainder would have a negative price.
 */
export function storableUsage(usage: Usage): Usage {
  const counts = usageOf((count) => tokenCount(usage[count]));
  const cachedInputTokens = Math.min(counts.cachedInputTokens, counts.inputTokens);
  const cacheWriteTokens = Math.min(counts.cacheWriteTokens, counts.inputTokens - cachedInputTokens);
  return { ...counts, cachedInputTokens, cacheWriteTokens };
}

export function addUsage(one: Usage, other: Usage): Usage {
  return storableUsage(usageOf((count) => one[count] + other[count]));
}

/** The usage after `earlier`, which is a part of `total`. */
export function usageSince(total: Usage, earlier: Usage): Usage {
  return storableUsage(usageOf((count) => total[count] - earlier[count]));
}

/** Only the counts of an object. */
export function onlyUsage(counted: Usage): Usage {
  return usageOf((count) => counted[count]);
}

/** The name of a count in the database and in exports. */
export function tokenColumn(count: TokenCount): string {
  return snakeCase(count);
}

/** The counts with their names in the database and in exports. */
export function usageByColumn(counted: Usage): Readonly<Record<string, number>> {
  return Object.fromEntries(TOKEN_COUNTS.map((count) => [tokenColumn(count), counted[count]]));
}

function usageOf(of: (count: TokenCount) => number): Usage {
  return Object.fromEntries(TOKEN_COUNTS.map((count) => [count, of(count)])) as Usage;
}

function tokenCount(count: number): number {
  return count > 0 ? Math.min(Math.ceil(count), MOST_TOKENS) : 0;
}
