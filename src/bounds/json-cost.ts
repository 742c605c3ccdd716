/** Different keys. V8 needs much longer for a new key than for a value. */
const MOST_KEYS = 10_000;

/** Events, and items of the outer lists: messages, and parts of a result. Each is checked against a schema. */
const MOST_ITEMS = 1_000;

/** Bytes of a string that count as structure. The rest of a longer one, such as a file in base64, is parsed quickly. */
const STRING_BYTES = 4_096;

/** How many bytes an escape counts: it takes longer than a plain character. */
const ESCAPE_BYTES = 6;

/** The levels of a message, its result, and the list of its parts. */
const OUTER_LEVELS = 3;

const [QUOTE, BACKSLASH, COMMA, COLON, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a, 0x0d] as const;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Spreads hashes, as in FNV-1a. */
const PRIME = 0x01000193;

/**
 * Counts what makes a JSON text expensive to parse, before it is parsed. Reads UTF-8 in chunks, also events whose data is
 * JSON: the end of a line ends a string, and a blank line ends all levels.
 */
export class JsonCost {
  /** Nobody can choose keys that have the same hashes. */
  readonly #seed = Math.trunc(Math.random() * 2 ** 32);
  /** Hashes, because a key can be as long as the text. */
  readonly #keys = new Set<number>();
  /** Whether each outer level is a list. */
  readonly #lists: boolean[] = [];
  #items = 0;
  #level = 0;
  #hash = 0;
  #isInString = false;
  #bytes = 0;
  #stringBytes = 0;
  /** A string that is a key if a colon follows. */
  #hasString = false;
  /** The byte before, if its meaning depends on it: the end of a line, or a backslash that escapes. */
  #last = 0;

  get hasManyKeys(): boolean {
    return this.#keys.size > MOST_KEYS;
  }

  get hasManyItems(): boolean {
    return this.#items > MOST_ITEMS;
  }

  /** All bytes but those after the beginning of a long string. */
  get structureBytes(): number {
    return this.#bytes;
  }

  add(utf8: Uint8Array): void {
    this.#bytes += utf8.length;
    for (let at = 0; at < utf8.length; at += 1) {
      const byte = utf8[at] as number;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.#endLine(byte);
      else if (this.#isInString) at = this.#readString(utf8, at);
      else this.#readMark(byte);
    }
  }

  #endLine(byte: number): void {
    const isBlank = this.#last === LINE_FEED || (this.#last === CARRIAGE_RETURN && byte === CARRIAGE_RETURN);
    if (isBlank) {
      this.#level = 0;
      this.#items += 1;
    }
    this.#last = byte;
    this.#isInString = false;
  }

  /** Returns the place of the last byte that it has read. */
  #readString(utf8: Uint8Array, start: number): number {
    let [hash, last, at, escapes] = [this.#hash, this.#last, start, 0];
    for (; at < utf8.length; at += 1) {
      const byte = utf8[at] as number;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) break;
      const isEscaped = last === BACKSLASH;
      last = byte === BACKSLASH && !isEscaped ? BACKSLASH : 0;
      if (byte === QUOTE && !isEscaped) {
        this.#isInString = false;
        this.#hash = hash;
        this.#last = 0;
        this.#countString(at - start, escapes);
        return at;
      }
      if (isEscaped) escapes += 1;
      hash = Math.imul(hash ^ byte, PRIME);
    }
    this.#hash = hash;
    this.#last = last;
    this.#countString(at - start, escapes);
    return at - 1;
  }

  /** Takes off what a string has after its beginning. */
  #countString(bytes: number, escapes: number): void {
    const before = Math.max(this.#stringBytes, STRING_BYTES);
    this.#stringBytes += bytes;
    const beyond = Math.max(0, this.#stringBytes - before);
    this.#bytes -= Math.max(0, beyond - escapes * ESCAPE_BYTES);
  }

  #readMark(byte: number): void {
    this.#last = 0;
    if (byte === COMMA) {
      if (this.#level <= OUTER_LEVELS && this.#lists[this.#level] !== false) this.#items += 1;
    } else if (byte === QUOTE) {
      this.#isInString = true;
      this.#hasString = true;
      this.#hash = this.#seed;
      this.#stringBytes = 0;
    } else if (byte === COLON) {
      if (this.#hasString && this.#keys.size <= MOST_KEYS) this.#keys.add(this.#hash);
      this.#hasString = false;
    } else {
      this.#changeLevel(byte);
    }
  }

  #changeLevel(byte: number): void {
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#level -= 1;
    if (byte !== OPEN_LIST && byte !== OPEN_OBJECT) return;
    this.#level += 1;
    if (this.#level >= 0 && this.#level <= OUTER_LEVELS) this.#lists[this.#level] = byte === OPEN_LIST;
  }
}
