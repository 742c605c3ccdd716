export const DIALECTS = ['openai', 'alternating', 'mistral', 'gemini', 'deepseek', 'anthropic'] as const;

export type Dialect = (typeof DIALECTS)[number];

/** What the provider issued, and must get back: by the number of the turn whose call has it. */
export const issuedFor = (turn: number) => `issued-for-turn-${turn}`;
