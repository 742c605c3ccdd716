import { isSummaryRequest, promptOf, remembers, type SentPrompt, tokensOf } from './memory-provider.ts';
import type { ProviderService } from './provider-service.ts';
import { Talk } from './talk.ts';

const TURNS = 200;

/** The facts of the first message. */
export const FACTS = ['FACT-name', 'FACT-order', 'FACT-date'];

/** The prompts of a conversation of 200 turns whose replies have 300 words. */
export interface LongTalk {
  /** One for each turn. */
  readonly steps: readonly SentPrompt[];
  readonly summaries: readonly SentPrompt[];
}

export async function longTalk(
  provided: ProviderService,
  config: Parameters<ProviderService['agent']>[0],
): Promise<LongTalk> {
  const talk = await Talk.with(provided, { instructions: 'Help.', ...config });
  provided.provider.reply(remembers);
  for (let turn = 1; turn <= TURNS; turn += 1)
    await talk.say(turn === 1 ? `I am Ada. ${FACTS.join(' ')}` : `Message ${turn}`);
  return {
    steps: talk.requests.filter((request) => !isSummaryRequest(request)).map(promptOf),
    summaries: talk.requests.filter(isSummaryRequest).map(promptOf),
  };
}

/** Tokens of all requests, with those of summaries. */
export function sentTokens({ steps, summaries }: LongTalk): number {
  return [...steps, ...summaries].reduce((sum, prompt) => sum + tokensOf(prompt), 0);
}

/** Tokens of whole messages at the beginning of a step that the step before began with too. */
export function reusableTokens({ steps }: LongTalk): number {
  return steps.reduce((sum, prompt, index) => sum + sharedTokens(steps[index - 1], prompt), 0);
}

function sharedTokens(before: SentPrompt | undefined, { system, tools, messages }: SentPrompt): number {
  if (before?.system !== system || before.tools !== tools) return 0;
  const end = messages.findIndex((message, index) => before.messages[index] !== message);
  return tokensOf({ system, tools, messages: end === -1 ? messages : messages.slice(0, end) });
}

/** Whether a step begins with all messages of the step before. */
export function continues(before: SentPrompt, { messages }: SentPrompt): boolean {
  return before.messages.every((message, index) => messages[index] === message);
}
