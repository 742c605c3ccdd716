import type { ChatRun } from './feed-items.ts';

/** The metadata of a message. Its values are known when the turn starts. */
export function startMetadata({ run_id, created_at: createdAt, model }: ChatRun) {
  return { run_id, createdAt, model };
}

/** The metadata that is complete when the turn pauses or ends. */
export function endMetadata(run: ChatRun) {
  const { input_tokens: inputTokens, cached_input_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens } = run;
  const { output_tokens: outputTokens } = run;
  const noCacheTokens = inputTokens - cacheReadTokens - cacheWriteTokens;
  return {
    usage: {
      inputTokens,
      // Types of the SDK have the details. `cachedInputTokens` is the older name of one of them, which pages still read.
      inputTokenDetails: { noCacheTokens, cacheReadTokens, cacheWriteTokens },
      cachedInputTokens: cacheReadTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
    },
  };
}
