import { LIMITS } from '../../contract/limits.ts';
import { unreadable } from '../unreadable.ts';
import { isJson } from './fields.ts';

/**
 * Splits the bytes of a response into the data of its events. Other fields of events are ignored. Linear for any input:
 * libraries search long for line ends, or make an error for each unknown line.
 */
export class ReplyEvents {
  readonly #decoder = new TextDecoder();
  #events: string[] = [];
  /** The body of a response that is one JSON object: some servers do not stream. Undefined until the first character. */
  #whole: string | undefined;
  /** The line that has not ended. */
  #line = '';
  /** The data of the event that has not ended. */
  #data: string | undefined;
  /** Whether the last chunk ended with a carriage return: a line feed after it ends no other line. */
  #isAfterReturn = false;

  /** @throws if an event is too long */
  feed(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    // No line of a stream of events begins so.
    if (this.#whole === undefined && text.trim() !== '') this.#whole = text.trimStart().startsWith('{') ? text : '';
    else if (this.#whole) this.#whole += text;
    if (!this.#whole) this.#readText(text);
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
    this.#readText('\n\n');
    // Half an event says that the connection broke off.
    return this.take().filter(isJson);
  }

  #readText(text: string): void {
    if (text === '') return;
    const rest = this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#isAfterReturn = text.endsWith('\r');
    const lines = rest.includes('\r') ? rest.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : rest;
    let start = 0;
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      this.#readLine(this.#line + lines.slice(start, end));
      this.#line = '';
      start = end + 1;
    }
    this.#line += lines.slice(start);
    if (this.#line.length + (this.#data?.length ?? 0) > LIMITS.providerEventLength) {
      throw unreadable('An event of the reply is too long.');
    }
  }

  #readLine(line: string): void {
    if (line === '') {
      // Empty data says nothing, and a provider can send it as fast as it is read.
      if (this.#data?.trim()) this.#events.push(this.#data);
      this.#data = undefined;
      return;
    }
    if (line !== 'data' && !line.startsWith('data:')) return;
    const value = line.slice(line[5] === ' ' ? 6 : 5);
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }
}
