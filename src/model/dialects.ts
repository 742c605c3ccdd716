/** What servers demand of a request. Parley satisfies all of it in every request, so nothing has to be configured. */
export const NEEDS = {
  alternatingRoles: 'the user begins, user and assistant take turns, and the assistant speaks after results',
  nineCharacterIds: 'call IDs of nine letters and digits',
  noBlankText: 'no text of white space',
  simpleSchemas: 'schemas of tools are objects with `properties`, without combinators at the top level',
} as const;

/** What a provider must get back with the calls of a step. Parley stores it with the step, encrypted. */
export const COMES_BACK = {
  reasoningContent: '`reasoning_content`',
  signedThinking: 'thinking with its signature',
  thoughtSignature: '`extra_content` with the thought signature',
} as const;

/** The rules of a provider, as far as they are known. */
export interface Dialect {
  readonly needs: readonly (keyof typeof NEEDS)[];
  readonly comesBack: readonly (keyof typeof COMES_BACK)[];
}

const ONLY_SCHEMAS: Dialect = { needs: ['simpleSchemas'], comesBack: [] };

/** By provider. Templates of models make the same demands on all servers that run them. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  OpenAI: ONLY_SCHEMAS,
  'Azure OpenAI': ONLY_SCHEMAS,
  Anthropic: { needs: ['noBlankText', 'simpleSchemas'], comesBack: ['signedThinking'] },
  DeepSeek: { needs: [], comesBack: ['reasoningContent'] },
  Gemini: { needs: ['simpleSchemas'], comesBack: ['thoughtSignature'] },
  Mistral: { needs: ['alternatingRoles', 'nineCharacterIds'], comesBack: [] },
  vLLM: { needs: ['alternatingRoles', 'nineCharacterIds'], comesBack: [] },
  'llama.cpp': { needs: ['alternatingRoles'], comesBack: [] },
  'LM Studio': { needs: ['alternatingRoles', 'simpleSchemas'], comesBack: [] },
};
