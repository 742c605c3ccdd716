import { StreamingToolCallTracker } from '@ai-sdk/provider-utils';
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
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
};

/** Reads the chunks of OpenAI's chat completions, and of the servers that are compatible with them. */
export class ChatReply implements ReplyReader {
  /** The response ends after the token counts, which come after the finish reason. */
  readonly isComplete = false;
  readonly #calls: ReplyCall[] = [];
  /** The adapters' own: servers differ in how they mark the pieces of calls. */
  readonly #tracker = new StreamingToolCallTracker(
    {
      enqueue: (part) => {
        if (part?.type === 'tool-call') this.#calls.push({ name: part.toolName, input: part.input });
      },
    },
    { typeValidation: 'if-present' },
  );
  /** Calls whose name has not arrived, by index. */
  readonly #nameless = new Map<number, { readonly id: string | null; readonly input: string }>();
  readonly #named = new Set<number>();
  #finish: string | undefined;
  #isRefusal = false;
  #usage: Fields = {};

  read(chunk: Fields): readonly ReplyPart[] {
    if ('error' in chunk) throw chunk.error;
    if (!Array.isArray(chunk.choices)) throw unreadable('A chunk of the reply has no choices.', chunk);
    if (chunk.usage) this.#usage = fieldsOf(chunk.usage);
    if (chunk.choices.length === 0) return [];
    const choice = fieldsOf(chunk.choices[0]);
    this.#finish = optionalText(choice.finish_reason) ?? this.#finish;
    return choice.delta ? this.#readDelta(fieldsOf(choice.delta)) : [];
  }

  end(): ReplyEnd | undefined {
    for (const [index, { id, input }] of this.#nameless) {
      this.#tracker.processDelta({ index, id, function: { arguments: input } });
    }
    this.#tracker.flush();
    if (this.#finish === undefined) return undefined;
    const reason = FINISH_REASONS[this.#finish] ?? null;
    return {
      finishReason: reason === 'stop' && this.#isRefusal ? 'content_filter' : reason,
      calls: this.#calls,
      inputTokens: countOf(this.#usage.prompt_tokens),
      outputTokens: countOf(this.#usage.completion_tokens),
    };
  }

  #readDelta({ content, refusal, reasoning_content, reasoning, tool_calls }: Fields): readonly ReplyPart[] {
    if (Array.isArray(tool_calls)) for (const call of tool_calls) this.#readCall(fieldsOf(call));
    const thought = optionalText(reasoning_content ?? reasoning);
    const said = Array.isArray(content) ? content.flatMap(contentParts) : textParts(optionalText(content));
    const refused = textParts(optionalText(refusal));
    if (refused.length > 0) this.#isRefusal = true;
    if (!thought && refused.length === 0) return said;
    return [...thoughtParts(thought), ...said, ...refused];
  }

  #readCall({ index, id, type, function: its }: Fields): void {
    const call = its ? fieldsOf(its) : {};
    const fields = { id: optionalText(id) ?? null, type: optionalText(type) ?? null };
    const [name, input] = [optionalText(call.name) ?? null, optionalText(call.arguments) ?? null];
    if (typeof index !== 'number' || this.#named.has(index)) {
      const place = typeof index === 'number' ? { index } : {};
      this.#tracker.processDelta({ ...place, ...fields, function: { name, arguments: input } });
      return;
    }
    const before = this.#nameless.get(index);
    const all = { id: before?.id ?? fields.id, input: (before?.input ?? '') + (input ?? '') };
    if (name === null) {
      this.#nameless.set(index, all);
      return;
    }
    this.#nameless.delete(index);
    this.#named.add(index);
    this.#tracker.processDelta({ index, ...fields, id: all.id, function: { name, arguments: all.input } });
  }
}

/** Content as a list: some compatible servers send it with their reasoning. */
function contentParts(value: unknown): readonly ReplyPart[] {
  const { type, text, thinking } = fieldsOf(value);
  if (type === 'text') return textParts(optionalText(text));
  if (type !== 'thinking' || !Array.isArray(thinking)) return [];
  return thoughtParts(thinking.map((part) => optionalText(fieldsOf(part).text) ?? '').join(''));
}

function textParts(text: string | undefined): readonly ReplyPart[] {
  return text ? [{ type: 'text', text }] : [];
}

function thoughtParts(text: string | undefined): readonly ReplyPart[] {
  return text ? [{ type: 'reasoning', id: '0', text }] : [];
}
