import { argumentsText, CallPieces } from './calls.ts';
import { chatUsage } from './chat-usage.ts';
import { CHAT_ENDS, ReplyFinish, throwValue } from './ends.ts';
import { type Fields, fieldsOf, listOf, optionalFields, optionalText } from './fields.ts';
import type { PartSink, ReplyEnd, ReplyReader } from './provider-reply.ts';
import { type TextSink, ThinkTags } from './think-tags.ts';

/**
 * Reads the chunks of OpenAI's chat completions, and of the servers that are compatible with them. A reply that is not
 * streamed is one chunk with a `message`.
 */
export class ChatReply implements ReplyReader {
  /** The response ends after the token counts, which come after the finish reason. */
  readonly isComplete = false;
  readonly #calls = new CallPieces();
  readonly #finish = new ReplyFinish(CHAT_ENDS);
  readonly #tags = new ThinkTags();
  #isRefusal = false;
  #usage: Fields = {};

  get callsLength(): number {
    return this.#calls.length;
  }

  get isFinished(): boolean {
    return this.#finish.isKnown;
  }

  read(chunk: Fields, sink: PartSink): void {
    const choice = optionalFields(listOf(chunk.choices)[0]);
    const [delta, message] = [optionalFields(choice?.delta), optionalFields(choice?.message)];
    if (delta) this.#readDelta(delta, sink);
    else if (message) this.#readDelta(wholeCalls(message), sink);
    const error = errorIn(chunk) ?? choice?.error;
    if (error) throwValue(error);
    this.#readUsage(chunk.usage);
    // Moonshot, and Groq.
    this.#readUsage(choice?.usage);
    this.#readUsage(optionalFields(chunk.x_groq)?.usage);
    this.#finish.read(optionalText(choice?.finish_reason));
  }

  close(sink: PartSink): void {
    this.#tags.close(separated(sink));
  }

  end(): ReplyEnd | undefined {
    if (!this.isFinished) return undefined;
    const { reason } = this.#finish;
    return {
      finishReason: reason === 'stop' && this.#isRefusal ? 'content_filter' : reason,
      calls: this.#calls.finish(reason === 'length' || reason === 'content_filter'),
      ...chatUsage(this.#usage),
    };
  }

  #readUsage(usage: unknown): void {
    this.#usage = optionalFields(usage) ?? this.#usage;
  }

  #readDelta(delta: Fields, sink: PartSink): void {
    const { content, refusal, reasoning_content, reasoning, function_call } = delta;
    for (const call of listOf(delta.tool_calls)) this.#readCall(fieldsOf(call));
    if (function_call) this.#readCall({ function: function_call });
    think(optionalText(reasoning_content) ?? optionalText(reasoning), sink);
    if (Array.isArray(content)) for (const part of listOf(content)) this.#readPart(fieldsOf(part), sink);
    else this.#say(optionalText(content), sink);
    const refused = optionalText(refusal);
    if (refused) this.#isRefusal = true;
    this.#say(refused, sink);
  }

  /** A part of content as a list: some compatible servers send it with their reasoning. */
  #readPart({ type, text, thinking }: Fields, sink: PartSink): void {
    if (type === 'text') this.#say(optionalText(text), sink);
    if (type !== 'thinking') return;
    const parts = typeof thinking === 'string' ? [thinking] : listOf(thinking).map((part) => fieldsOf(part).text);
    think(parts.map((part) => optionalText(part) ?? '').join(''), sink);
  }

  #say(text: string | undefined, sink: PartSink): void {
    if (text) this.#tags.read(text, separated(sink));
  }

  #readCall({ index, id, function: its, extra_content }: Fields): void {
    const { name, arguments: input } = optionalFields(its) ?? {};
    this.#calls.add({
      index: typeof index === 'number' ? index : undefined,
      id: typeof id === 'number' ? String(id) : optionalText(id),
      name: optionalText(name),
      input: argumentsText(input),
      // Gemini rejects calls that come back without their signature. The adapter adds these fields to the call.
      metadata: optionalFields(extra_content) && { openaiCompatible: { extra_content } },
    });
  }
}

/** The error of a chunk, in the forms that servers have for it. */
function errorIn(chunk: Fields): unknown {
  if (chunk.error) return chunk.error;
  // Older versions of vLLM, and Mistral.
  if (chunk.object === 'error') return chunk;
  // MiniMax.
  const status = optionalFields(chunk.base_resp)?.status_code;
  return status ? chunk.base_resp : undefined;
}

/** Numbers the calls of a message that is not streamed: each one is complete. */
function wholeCalls(message: Fields): Fields {
  return { ...message, tool_calls: listOf(message.tool_calls).map((call, index) => ({ ...fieldsOf(call), index })) };
}

function think(text: string | undefined, sink: PartSink): void {
  if (text) sink({ type: 'reasoning', id: '0', text });
}

/** Reasoning that the model wrote as text is not sent back: models are trained without it. */
function separated(sink: PartSink): TextSink {
  return {
    text: (text) => sink({ type: 'text', text }),
    thought: (text) => sink({ type: 'reasoning', id: undefined, text }),
  };
}
