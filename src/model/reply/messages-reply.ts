import { argumentsText, CallPieces } from './calls.ts';
import { MESSAGES_ENDS, ReplyFinish, throwValue } from './ends.ts';
import { countOf, type Fields, fieldsOf, listOf, optionalFields, optionalText } from './fields.ts';
import type { PartSink, ReplyEnd, ReplyPart, ReplyReader } from './provider-reply.ts';

/** Reads the events of Anthropic's messages. A reply that is not streamed is one event, the message. */
export class MessagesReply implements ReplyReader {
  isComplete = false;
  readonly #calls = new CallPieces();
  readonly #finish = new ReplyFinish(MESSAGES_ENDS);
  /** The blocks that are neither texts nor calls of offered tools. */
  readonly #otherBlocks = new Set<number>();
  readonly #usage: Partial<Record<(typeof COUNTS)[number], unknown>> = {};

  get callsLength(): number {
    return this.#calls.length;
  }

  get isFinished(): boolean {
    return this.isComplete || this.#finish.isKnown;
  }

  /** Ignores unknown events, as the protocol asks for. */
  read(event: Fields, sink: PartSink): void {
    if (event.error || event.type === 'error') throwValue(event.error || event);
    const index = typeof event.index === 'number' ? event.index : 0;
    switch (event.type) {
      case 'content_block_delta':
        this.#readDelta(index, optionalFields(event.delta) ?? {}, sink);
        break;
      case 'content_block_start':
        this.#startBlock(index, optionalFields(event.content_block) ?? {}, sink);
        break;
      case 'message_start':
        this.#readUsage(optionalFields(event.message)?.usage);
        break;
      case 'message_delta':
        this.#readUsage(event.usage);
        this.#finish.read(optionalText(optionalFields(event.delta)?.stop_reason));
        break;
      case 'message':
        this.#readMessage(event, sink);
        break;
      case 'message_stop':
        this.isComplete = true;
    }
  }

  close(): void {}

  end(): ReplyEnd | undefined {
    if (!this.#finish.isKnown) return undefined;
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = this.#usage;
    const input = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens];
    const { reason } = this.#finish;
    return {
      finishReason: reason,
      calls: this.#calls.finish(reason === 'length' || reason === 'content_filter'),
      inputTokens: countOf(input.reduce<number>((sum, count) => sum + countOf(count), 0)),
      cachedInputTokens: countOf(cache_read_input_tokens),
      cacheWriteTokens: countOf(cache_creation_input_tokens),
      outputTokens: countOf(output_tokens),
    };
  }

  /** Later counts replace earlier ones. */
  #readUsage(usage: unknown): void {
    const its = optionalFields(usage) ?? {};
    for (const name of COUNTS) this.#usage[name] = its[name] ?? this.#usage[name];
  }

  #readMessage(message: Fields, sink: PartSink): void {
    for (const [index, block] of listOf(message.content).entries()) this.#startBlock(index, fieldsOf(block), sink);
    this.#readUsage(message.usage);
    this.#finish.read(optionalText(message.stop_reason));
    this.isComplete = true;
  }

  #startBlock(index: number, block: Fields, sink: PartSink): void {
    const { type, id, name, input, data } = block;
    this.#otherBlocks.delete(index);
    if (type === 'tool_use') {
      const whole = argumentsText(input);
      const piece = { index, id: optionalText(id), name: optionalText(name) };
      this.#calls.add({ ...piece, whole: whole === '{}' ? undefined : whole });
    } else if (type === 'redacted_thinking') {
      sink(thought(index, '', { redactedData: optionalText(data) }));
    } else if (READ_TYPES.has(type)) {
      if (type === 'thinking') sink(thought(index, ''));
      // Some servers begin a block with its first words.
      this.#readDelta(index, block, sink);
    } else {
      this.#otherBlocks.add(index);
    }
  }

  #readDelta(index: number, { type, text, thinking, signature, partial_json }: Fields, sink: PartSink): void {
    if (!READ_TYPES.has(type) || this.#otherBlocks.has(index)) return;
    const said = optionalText(text);
    if (said) sink({ type: 'text', text: said });
    const thoughts = optionalText(thinking);
    if (thoughts) sink(thought(index, thoughts));
    // A later step would fail with another value.
    const signed = optionalText(signature);
    if (signed) sink(thought(index, '', { signature: signed }));
    const input = argumentsText(partial_json);
    if (input !== undefined) this.#calls.add({ index, input });
  }
}

const COUNTS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const;

/** The types of blocks and of their pieces. Some servers leave the type empty. Unknown ones are ignored. */
const READ_TYPES: ReadonlySet<unknown> = new Set([
  ...['text', 'text_delta', 'thinking', 'thinking_delta', 'signature_delta', 'input_json_delta', '', undefined, null],
]);

/** The adapter of Anthropic reads the metadata of its own replies by its name. */
function thought(index: number, text: string, metadata?: object): ReplyPart {
  return { type: 'reasoning', id: String(index), text, ...(metadata && { metadata: { anthropic: metadata } }) };
}
