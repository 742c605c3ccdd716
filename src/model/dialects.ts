import { LIMITS } from '../contract/limits.ts';

/** What servers demand of a request. Parley satisfies all of it in every request, so nothing has to be configured. */
export const NEEDS = {
  alternatingRoles: 'the user begins, user and assistant take turns, and the assistant speaks after results',
  nineCharacterIds: 'call IDs of nine letters and digits',
  noBlankText: 'no text of white space',
  simpleNames: `names of called tools of at most ${LIMITS.toolNameLength} letters, digits, \`_\` and \`-\`, also of tools that do not exist`,
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

const NAMES_AND_SCHEMAS: Dialect = { needs: ['simpleNames', 'simpleSchemas'], comesBack: [] };

/** By provider. Templates of models make the same demands on all servers that run them. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  OpenAI: NAMES_AND_SCHEMAS,
  'Azure OpenAI': NAMES_AND_SCHEMAS,
  Anthropic: { needs: ['noBlankText', 'simpleNames', 'simpleSchemas'], comesBack: ['signedThinking'] },
  DeepSeek: { needs: [], comesBack: ['reasoningContent'] },
  Gemini: { needs: ['simpleNames', 'simpleSchemas'], comesBack: ['thoughtSignature'] },
  Mistral: { needs: ['alternatingRoles', 'nineCharacterIds', 'simpleNames'], comesBack: [] },
  vLLM: { needs: ['alternatingRoles', 'nineCharacterIds', 'simpleNames'], comesBack: [] },
  'llama.cpp': { needs: ['alternatingRoles'], comesBack: [] },
  'LM Studio': { needs: ['alternatingRoles', 'simpleSchemas'], comesBack: [] },
};
