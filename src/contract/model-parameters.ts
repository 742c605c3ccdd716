import { MODEL_PROVIDERS, type ModelProvider } from './model-name.ts';

/** What a parameter's value is. */
export type ParameterKind = 'boolean' | 'integer' | 'number' | 'object' | 'text';

type Parameters = Readonly<Record<string, ParameterKind>>;

/** Parameters of chat completions, as OpenAI documents them. */
const CHAT: Parameters = {
  frequency_penalty: 'number',
  logit_bias: 'object',
  metadata: 'object',
  parallel_tool_calls: 'boolean',
  presence_penalty: 'number',
  prompt_cache_key: 'text',
  prompt_cache_options: 'object',
  prompt_cache_retention: 'text',
  safety_identifier: 'text',
  seed: 'integer',
  service_tier: 'text',
  store: 'boolean',
  top_p: 'number',
  user: 'text',
  verbosity: 'text',
};

/** Parameters of servers that are compatible with chat completions, as their guides document them. */
const OF_SERVERS: Parameters = {
  // vLLM, SGLang and llama.cpp.
  chat_template_kwargs: 'object',
  min_p: 'number',
  repetition_penalty: 'number',
  top_k: 'integer',
  // vLLM.
  cache_salt: 'text',
  length_penalty: 'number',
  min_tokens: 'integer',
  // llama.cpp.
  cache_prompt: 'boolean',
  dry_allowed_length: 'integer',
  dry_base: 'number',
  dry_multiplier: 'number',
  dry_penalty_last_n: 'integer',
  mirostat: 'integer',
  mirostat_eta: 'number',
  mirostat_tau: 'number',
  repeat_last_n: 'integer',
  repeat_penalty: 'number',
  typical_p: 'number',
  xtc_probability: 'number',
  xtc_threshold: 'number',
  // Mistral.
  prompt_mode: 'text',
  random_seed: 'integer',
  safe_prompt: 'boolean',
  // DeepSeek, GLM and Kimi.
  thinking: 'object',
  // Qwen.
  enable_thinking: 'boolean',
  thinking_budget: 'integer',
  // OpenRouter.
  provider: 'object',
  top_a: 'number',
};

/**
 * The parameters that a workflow can add to the request of a provider. What Parley sets itself is not here: the
 * messages, the tools, the limit of a reply and its format.
 */
export const MODEL_PARAMETERS: Readonly<Record<ModelProvider, Parameters>> = {
  openai: CHAT,
  // Not `thinking`, which follows from the reasoning effort.
  anthropic: { metadata: 'object', service_tier: 'text', top_k: 'integer', top_p: 'number' },
  'openai-compatible': { ...CHAT, ...OF_SERVERS },
};

/** The parameters of a provider by name, or of all providers. */
export function parametersOf(provider: ModelProvider | undefined): ReadonlyMap<string, ParameterKind> {
  const providers = provider ? [provider] : MODEL_PROVIDERS;
  const all = providers.flatMap((one) => Object.entries(MODEL_PARAMETERS[one]));
  return new Map(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}
