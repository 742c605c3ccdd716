import type { FieldPath } from '../contract/errors.ts';
import { formatCount } from '../contract/quantities.ts';
import { endOfNumber, isUnsafeNumber } from './json-numbers.ts';

/** What a JSON text may have. */
export interface JsonLimits {
  readonly levels: number;
  /** Values and keys: opening brackets, commas and colons. */
  readonly values: number;
  readonly keys: number;
  /** Whether each number must be exact in JavaScript. */
  readonly exactNumbers: boolean;
}

export const UNSAFE_INTEGER = 'must be between -9007199254740991 and 9007199254740991';

/** What makes JSON unacceptable, and the path of the value. */
export interface JsonProblem {
  readonly message: string;
  readonly path: FieldPath;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The kinds of bytes outside strings. White space and the letters of `true`, `false` and `null` are 0. */
const OPEN_OBJECT = 1;
const OPEN_ARRAY = 2;
const CLOSE = 3;
const COMMA = 4;
const COLON = 5;
const TEXT = 6;
const NUMBER = 7;
const KINDS = new Uint8Array(256);
for (const [bytes, kind] of [
  ['{', OPEN_OBJECT],
  ['[', OPEN_ARRAY],
  [']}', CLOSE],
  [',', COMMA],
  [':', COLON],
  ['"', TEXT],
  ['-0123456789', NUMBER],
] as const) {
  for (const byte of Buffer.from(bytes)) KINDS[byte] = kind;
}

/** The step of an object is the place of its current key, as a negative number. The step of an array is an index. */
const NO_KEY = -1;

/**
 * Finds what must not be parsed: JSON that is too deep or has too many values, and numbers that JSON.parse would change
 * silently. Linear for any input. Invalid JSON is not reported. It can pause between tokens, because a large text takes longer
 * than other requests should wait.
 */
export class JsonScan {
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  /** The steps to the current value. */
  readonly #steps: number[] = [];
  #at = 0;
  #lastText = 0;
  #values = 0;
  #keys = 0;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Scans the tokens that start before `end`. */
  run(end: number): JsonProblem | undefined {
    const bytes = this.#bytes;
    const { exactNumbers } = this.#limits;
    let at = this.#at;
    for (; at < end; at += 1) {
      const kind = KINDS[bytes[at] as number] as number;
      if (kind === 0) continue;
      if (kind === TEXT) {
        this.#lastText = at;
        at = endOfString(bytes, at);
      } else if (kind === NUMBER) {
        const next = endOfNumber(bytes, at);
        if (exactNumbers && isUnsafeNumber(bytes, at, next)) return { message: UNSAFE_INTEGER, path: this.#path() };
        at = next - 1;
      } else {
        this.#move(kind);
        const problem = this.#excess();
        if (problem) return problem;
      }
    }
    this.#at = at;
    return undefined;
  }

  #move(kind: number): void {
    const steps = this.#steps;
    const last = steps.length - 1;
    if (kind === CLOSE) {
      steps.pop();
      return;
    }
    this.#values += 1;
    if (kind === OPEN_OBJECT) steps.push(NO_KEY);
    else if (kind === OPEN_ARRAY) steps.push(0);
    else if (kind === COLON) {
      this.#keys += 1;
      if (last >= 0) steps[last] = NO_KEY - this.#lastText;
    } else if (last >= 0 && (steps[last] as number) >= 0) steps[last] = (steps[last] as number) + 1;
  }

  #excess(): JsonProblem | undefined {
    const { levels, values, keys } = this.#limits;
    if (this.#steps.length > levels) return { message: `must be at most ${levels} levels deep`, path: this.#path() };
    if (this.#values > values) return { message: `must have at most ${formatCount(values)} values`, path: [] };
    if (this.#keys > keys) return { message: `must have at most ${formatCount(keys)} keys`, path: [] };
    return undefined;
  }

  #path(): FieldPath {
    return this.#steps.map((step) => (step >= 0 ? step : this.#keyAt(NO_KEY - step)));
  }

  #keyAt(start: number): string {
    const text = this.#bytes.toString('utf8', start, endOfString(this.#bytes, start) + 1);
    try {
      return String(JSON.parse(text));
    } catch {
      // JSON.parse of the whole text reports invalid JSON.
      return text;
    }
  }
}

/** Bytes after which `indexOf` is faster than a loop. */
const SHORT = 64;

/** The position of the quote that ends the string, or of the end of the text. */
function endOfString(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let searchAt = start + SHORT;
  for (let at = start + 1; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
    else if (at >= searchAt) {
      const quote = bytes.indexOf(QUOTE, at);
      if (quote === -1) return length;
      if (!isEscaped(bytes, at, quote)) return quote;
      at = quote;
      // Escaped quotes can be dense, so the next search must save a loop too.
      searchAt = quote + SHORT;
    }
  }
  return length;
}

/** Whether an odd number of backslashes is before the quote. The byte at `from` is not escaped. */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let at = quote;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 1;
}
