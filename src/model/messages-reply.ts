import type { ModelStep } from '../domain/agent/model-port.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  optionalText,
  type ReplyCall,
  type ReplyEnd,
  type ReplyPart,
  type ReplyReader,
} from './provider-reply.ts';
import { unreadable } from './reply-stream.ts';

const FINISH_REASONS: Readonly<Record<string, ModelStep['finishReason']>> = {
  end_turn: 'stop',
  pause_turn: 'stop',
  stop_sequence: 'stop',
  refusal: 'content_filter',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
};

/** Reads the events of Anthropic's messages. */
export class MessagesReply implements ReplyReader {
  isComplete = false;
  readonly #calls: ReplyCall[] = [];
  /** The calls whose blocks have not ended, by index. */
  readonly #openCalls = new Map<unknown, { readonly name: string; input: string }>();
  #finish: string | undefined;
  #usage: Fields = {};

  /** Ignores unknown events, as the protocol asks for. */
  read(event: Fields): readonly ReplyPart[] {
    switch (event.type) {
      case 'content_block_delta':
        return this.#readDelta(event.index, fieldsOf(event.delta));
      case 'content_block_start':
        return this.#startBlock(event.index, fieldsOf(event.content_block));
      case 'content_block_stop':
        this.#endBlock(event.index);
        return [];
      case 'message_start':
        this.#readUsage(fieldsOf(event.message).usage);
        return [];
      case 'message_delta':
        this.#readUsage(event.usage);
        this.#finish = optionalText(fieldsOf(event.delta).stop_reason);
        return [];
      case 'message_stop':
        this.isComplete = true;
        return [];
      case 'error':
        throw event.error;
      default:
        if (typeof event.type !== 'string') throw unreadable('An event of the reply has no type.', event);
        return [];
    }
  }

  end(): ReplyEnd | undefined {
    if (!this.isComplete || this.#finish === undefined) return undefined;
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = this.#usage;
    const input = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens];
    return {
      finishReason: FINISH_REASONS[this.#finish] ?? null,
      calls: this.#calls,
      inputTokens: countOf(input.reduce<number>((sum, count) => sum + countOf(count), 0)),
      outputTokens: countOf(output_tokens),
    };
  }

  /** Later counts replace earlier ones. */
  #readUsage(usage: unknown): void {
    if (usage === undefined || usage === null) return;
    const counts = Object.entries(fieldsOf(usage)).filter(([, count]) => count !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts) };
  }

  #startBlock(index: unknown, block: Fields): readonly ReplyPart[] {
    if (block.type === 'tool_use') {
      const hasInput = typeof block.input === 'object' && block.input !== null && Object.keys(block.input).length > 0;
      const name = optionalText(block.name) ?? '';
      this.#openCalls.set(index, { name, input: hasInput ? JSON.stringify(block.input) : '' });
    } else if (block.type === 'thinking') {
      return [thought(index, '')];
    } else if (block.type === 'redacted_thinking') {
      return [thought(index, '', { redactedData: block.data })];
    }
    return [];
  }

  #readDelta(index: unknown, delta: Fields): readonly ReplyPart[] {
    switch (delta.type) {
      case 'text_delta':
        return [{ type: 'text', text: optionalText(delta.text) ?? '' }];
      case 'thinking_delta':
        return [thought(index, optionalText(delta.thinking) ?? '')];
      case 'signature_delta':
        return [thought(index, '', { signature: delta.signature })];
      case 'input_json_delta': {
        const call = this.#openCalls.get(index);
        if (call) call.input += optionalText(delta.partial_json) ?? '';
        return [];
      }
      default:
        return [];
    }
  }

  #endBlock(index: unknown): void {
    const call = this.#openCalls.get(index);
    if (call) this.#calls.push(call);
    this.#openCalls.delete(index);
  }
}

/** The adapter of Anthropic reads the metadata of its own replies by its name. */
function thought(index: unknown, text: string, metadata?: object): ReplyPart {
  return { type: 'reasoning', id: String(index), text, ...(metadata && { metadata: { anthropic: metadata } }) };
}
