import type { FakeBehaviour, FakeRequest } from './fake-provider.ts';

/** The beginning of the service's instructions for summaries. */
const SUMMARIZES = 'You keep the memory of a conversation';

/** A fact that a summary must keep. */
const FACT = /FACT-\w+/g;

/** The system prompt and the messages of a request, in either protocol, each as JSON. */
export interface SentPrompt {
  readonly system: string;
  readonly messages: readonly string[];
  readonly tools: string;
}

export function promptOf({ body }: FakeRequest): SentPrompt {
  const all = body.messages as { role: string }[];
  const messages = all.filter(({ role }) => role !== 'system').map((message) => JSON.stringify(message));
  const own = body.system ?? all.find(({ role }) => role === 'system');
  return { system: JSON.stringify(own ?? ''), messages, tools: JSON.stringify(body.tools ?? []) };
}

export const isSummaryRequest = (request: FakeRequest) => promptOf(request).system.includes(SUMMARIZES);

/** Tokens of a prompt, as this provider counts them: about four characters each. */
export function tokensOf({ system, messages, tools }: SentPrompt): number {
  return Math.ceil((system.length + tools.length + messages.join('').length) / 4);
}

/** Replies with 300 words, which begin with the facts of the transcript if it is asked for a summary. */
export const remembers: FakeBehaviour = (request) => {
  const prompt = promptOf(request);
  const facts = [...new Set(prompt.messages.join('').match(FACT))].join(' ');
  const text = `${isSummaryRequest(request) ? `They spoke. ${facts} ` : ''}${'word '.repeat(300)}`;
  return { kind: 'answer', deltas: [text], usage: { input: tokensOf(prompt), output: Math.ceil(text.length / 4) } };
};
