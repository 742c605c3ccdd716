import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { LIMITS } from '../contract/limits.ts';
import { reasoningTokens } from '../contract/reasoning-tokens.ts';
import type { ModelMessage, ModelRequest, ReasoningPart } from '../domain/agent/model-port.ts';
import type { ReplyPart } from './reply/provider-reply.ts';

/** Makes the options of one provider for a request. */
export type OptionsFor = (
  request: Pick<ModelRequest, 'reasoningEffort' | 'messages' | 'cachesPrompt'>,
) => SharedV3ProviderOptions;

/** Not strict: strict providers reject schemas with optional fields. The engine checks the reply anyway. */
export const openaiOptions: OptionsFor = ({ reasoningEffort }) => ({
  openai: { strictJsonSchema: false, ...(reasoningEffort && { reasoningEffort }) },
});

export const compatibleOptions: OptionsFor = ({ reasoningEffort }) =>
  reasoningEffort ? { openaiCompatible: { reasoningEffort } } : {};

/** A model of Anthropic, by its name. */
export function anthropicOptions(name: string): OptionsFor {
  const thinkingOf = ({ reasoningEffort: effort, messages }: Parameters<OptionsFor>[0]) => {
    if (!effort) return {};
    const budgetTokens = reasoningTokens(name, effort);
    if (budgetTokens === undefined && name.startsWith('claude-'))
      return { thinking: { type: 'adaptive', display: 'summarized' }, effort };
    if (!beginsWithReasoning(messages)) return {};
    return { thinking: { type: 'enabled', budgetTokens } };
  };
  // At the top level of the request: the server caches all of it, up to the last block.
  const cacheControl = { type: 'ephemeral' };
  return (request) => ({ anthropic: { ...thinkingOf(request), ...(request.cachesPrompt && { cacheControl }) } });
}

/**
 * Whether the round has no step yet, or its first one has its reasoning. With a budget, Anthropic rejects other requests.
 * The reasoning is lost if the round continues after a pause, or in another process.
 */
function beginsWithReasoning(messages: readonly ModelMessage[]): boolean {
  const first = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1).at(0);
  return !first || (typeof first.content !== 'string' && first.content[0]?.type === 'reasoning');
}

/** What a block of reasoning counts in addition to its text. */
const PART_LENGTH = 50;

/** Collects the reasoning of a step, which the provider gets back with the results of its calls. */
export class ReasoningParts {
  readonly #parts = new Map<string, { text: string; metadata: unknown }>();
  #bytesLeft: number = LIMITS.reasoningBytes;
  #lengthLeft: number = LIMITS.stepMemoryLength;

  add({ id, text, metadata }: Extract<ReplyPart, { type: 'reasoning' }>): void {
    if (id === undefined) return;
    this.#bytesLeft -= Buffer.byteLength(text);
    // Blocks and signatures without a text would have no limit.
    this.#lengthLeft -= (this.#parts.has(id) ? 0 : PART_LENGTH) + (metadata ? JSON.stringify(metadata).length : 0);
    if (this.#lengthLeft < 0) this.#bytesLeft = -1;
    if (this.#bytesLeft < 0) return;
    const part = this.#parts.get(id) ?? { text: '', metadata: undefined };
    part.text += text;
    part.metadata = metadata ?? part.metadata;
    this.#parts.set(id, part);
  }

  /** Undefined: the model gave no reasoning, or too much. A signature is valid only for the complete text. */
  complete(): readonly ReasoningPart[] | undefined {
    if (this.#bytesLeft < 0 || this.#parts.size === 0) return undefined;
    return [...this.#parts.values()].map((part) => ({ type: 'reasoning', ...part }));
  }
}
