import type { ChatRun } from './feed-items.ts';

/** The metadata of a message. Its values are known when the turn starts. */
export function startMetadata({ run_id, created_at: createdAt, model }: ChatRun) {
  return { run_id, createdAt, model };
}

/** The metadata that is complete when the turn pauses or ends. */
export function endMetadata({ input_tokens: inputTokens, output_tokens: outputTokens }: ChatRun) {
  return { usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
}
