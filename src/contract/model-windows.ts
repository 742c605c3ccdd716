import { providerModelOf } from './model-name.ts';

/** The context of models, in tokens, as their providers state it. The first row that matches the name counts. */
const WINDOWS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^claude-.*\b1m\b/, 1_000_000],
  [/^claude-/, 200_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-5.*chat/, 128_000],
  [/^gpt-5/, 400_000],
  [/^(o1|o3|o4)/, 200_000],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o)/, 128_000],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/gemini-/, 1_048_576],
  [/deepseek/, 128_000],
  [/mistral-(large|medium|small)|ministral/, 128_000],
  [/llama-?4/, 1_000_000],
  [/llama-?3\.[1-3]/, 128_000],
  [/qwen-?3/, 131_072],
  [/kimi-k2/, 131_072],
  [/gpt-oss/, 131_072],
];

/** A context that almost every model with tools has. */
const UNKNOWN = 32_000;

/** The rest is for the reply, and for the words of the next message. */
export const DEFAULT_CONTEXT_SHARE = 0.75;

/** The context of a model in tokens. A model whose name is not known has a small one. */
export function knownContextTokens(model: string): number {
  const name = (providerModelOf(model)?.name ?? '').toLowerCase();
  return WINDOWS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN;
}
