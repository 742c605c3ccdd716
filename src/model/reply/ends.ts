import type { ModelStep } from '../../domain/agent/model-port.ts';

type FinishReason = ModelStep['finishReason'];

/** The words that end a reply of chat completions. Any other word says that the provider failed. */
export const CHAT_ENDS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', null],
  ['function_call', null],
]);

/** The words that end a reply of messages. */
export const MESSAGES_ENDS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['pause_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['refusal', 'content_filter'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', null],
]);

/** Why a reply ends. */
export class ReplyFinish {
  readonly #ends: ReadonlyMap<string, FinishReason>;
  #word: string | undefined;

  constructor(ends: ReadonlyMap<string, FinishReason>) {
    this.#ends = ends;
  }

  get isKnown(): boolean {
    return this.#word !== undefined;
  }

  /** Undefined: the word says nothing. @throws the word as a value if it is not the end of a reply */
  read(word: string | undefined): void {
    if (word === undefined) return;
    if (this.#ends.has(word)) this.#word = word;
    else if (this.#word === undefined) throwValue({ finish_reason: word });
  }

  get reason(): FinishReason {
    return this.#ends.get(this.#word ?? '') ?? null;
  }
}

/** Errors of a provider are thrown as their values: the trace shows them. */
export function throwValue(value: unknown): never {
  throw value;
}
