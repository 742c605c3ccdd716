import type { ReasoningEffort } from './statuses.ts';

/** Anthropic's models until version 4.5 get a number of tokens for their reasoning. Later ones decide it themselves. */
const HAS_BUDGET = /^claude-(3|[a-z]+-4-(0|1|5|\d{8}))/;

const BUDGET_TOKENS: Readonly<Record<ReasoningEffort, number>> = { low: 2_048, medium: 8_192, high: 16_384 };

const PREFIX = 'anthropic:';

/** The tokens that a model of Anthropic can write before its reply, on top of the limit of the reply. Undefined: it gets no such number. */
export function reasoningTokens(name: string, effort: ReasoningEffort): number | undefined {
  return HAS_BUDGET.test(name) ? BUDGET_TOKENS[effort] : undefined;
}

/** The same for a model of any provider, by its whole name. */
export function tokensOnTop(model: string, effort: ReasoningEffort | undefined): number {
  if (!effort || !model.startsWith(PREFIX)) return 0;
  return reasoningTokens(model.slice(PREFIX.length), effort) ?? 0;
}
