import { createParser } from 'eventsource-parser';
import { LIMITS } from '../../contract/limits.ts';
import { unreadable } from '../unreadable.ts';
import { isJson } from './fields.ts';

/** Splits the bytes of a response into the data of its events. */
export class ReplyEvents {
  readonly #decoder = new TextDecoder();
  #events: string[] = [];
  /** The body of a response that is one JSON object: some servers do not stream. Undefined until the first character. */
  #whole: string | undefined;
  readonly #parser = createParser({
    maxBufferSize: LIMITS.providerEventLength,
    onEvent: ({ data }) => this.#events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw unreadable('An event of the reply is too long.');
    },
  });

  /** @throws if an event is too long */
  feed(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    // No line of a stream of events begins so.
    if (this.#whole === undefined && text.trim() !== '') this.#whole = text.trimStart().startsWith('{') ? text : '';
    else if (this.#whole) this.#whole += text;
    if (!this.#whole) this.#parser.feed(text);
    else if (this.#whole.length > LIMITS.providerEventLength) throw unreadable('The reply is too long.');
  }

  /** The events since the last call. */
  take(): readonly string[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The last event, if the response ended without the blank line after it. */
  end(): readonly string[] {
    const whole = this.#whole;
    this.#whole = '';
    if (whole) return [whole];
    this.#parser.feed('\n\n');
    // Half an event says that the connection broke off.
    return this.take().filter(isJson);
  }
}
