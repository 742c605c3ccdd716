/** The tokens that a model read and wrote. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** The highest count that the database and GraphQL accept. */
const MOST_TOKENS = 2 ** 31 - 1;

/** Converts a provider's count, which can be any number, to a whole number that the database accepts. */
export function tokenCount(count: number): number {
  return count > 0 ? Math.min(Math.ceil(count), MOST_TOKENS) : 0;
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: tokenCount(one.inputTokens + other.inputTokens),
    outputTokens: tokenCount(one.outputTokens + other.outputTokens),
  };
}
