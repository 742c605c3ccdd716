import type { Usage } from '../../contract/token-usage.ts';
import { countOf, type Fields } from './fields.ts';

/** The names of servers for tokens from their cache, in `usage` or its `prompt_tokens_details`. */
const CACHED = [
  'cached_tokens',
  // DeepSeek.
  'prompt_cache_hit_tokens',
  // Gateways that translate the messages of Anthropic.
  'cache_read_input_tokens',
];

/** The names for tokens written to the cache: OpenRouter, Qwen and gateways, LiteLLM. Most servers do not count them. */
const WRITTEN = ['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens'];

/** The token counts of a chat completion. Its prompt includes the tokens of the cache. */
export function chatUsage(usage: Fields): Usage {
  const places = [usage, detailsOf(usage)];
  // A server that has several names sends the same count in each, or 0.
  const most = (names: readonly string[]) =>
    Math.max(...places.flatMap((place) => names.map((name) => countOf(place[name]))));
  return {
    inputTokens: countOf(usage.prompt_tokens),
    cachedInputTokens: most(CACHED),
    cacheWriteTokens: most(WRITTEN),
    outputTokens: countOf(usage.completion_tokens),
  };
}

/** A count never fails a reply, so details of an unknown form are ignored. */
function detailsOf({ prompt_tokens_details: details }: Fields): Fields {
  return typeof details === 'object' && details !== null ? (details as Fields) : {};
}
