import { TOKEN_COUNTS, type Usage } from '../../../contract/token-usage.ts';

const DESCRIPTIONS: Readonly<Record<keyof Usage, string>> = {
  inputTokens: 'Tokens that the model read.',
  cachedInputTokens: 'The part of the input tokens that the provider read from its cache.',
  cacheWriteTokens: 'The part of the input tokens that the provider wrote to its cache.',
  outputTokens: 'Tokens that the model wrote.',
};

/** A field for each count of tokens. */
export function tokenFields<Field>(
  field: (count: keyof Usage, description: string) => Field,
): Readonly<Record<keyof Usage, Field>> {
  const fields = TOKEN_COUNTS.map((count) => [count, field(count, DESCRIPTIONS[count])]);
  return Object.fromEntries(fields) as Record<keyof Usage, Field>;
}
