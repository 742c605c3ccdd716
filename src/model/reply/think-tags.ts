/** How models mark the reasoning at the beginning of their text. */
const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  // gpt-oss on Bedrock.
  ['<reasoning>', '</reasoning>'],
  // Gemma and Gemini.
  ['<thought>', '</thought>'],
  // Magistral.
  ['[THINK]', '[/THINK]'],
] as const;

/** White space that waits for a tag. */
const MOST_HELD = 1_000;

/** Receives what was read. */
export interface TextSink {
  text(text: string): void;
  thought(text: string): void;
}

/**
 * Separates the reasoning from the text of models that write both as text. Only tags at the beginning count: a text can
 * be about tags.
 */
export class ThinkTags {
  #state: 'begin' | 'thought' | 'text' = 'begin';
  /** The end of the current reasoning. */
  #endTag = '';
  /** The beginning of a tag, perhaps. */
  #held = '';
  #hasThought = false;

  read(piece: string, sink: TextSink): void {
    if (this.#state === 'text') {
      sink.text(piece);
      return;
    }
    this.#held += piece;
    while (this.#held !== '' && this.#step(sink));
  }

  /** Passes on what is left at the end of the reply. */
  close(sink: TextSink): void {
    const held = this.#held;
    this.#held = '';
    if (held === '') return;
    if (this.#state === 'thought') {
      sink.thought(held);
      return;
    }
    // Models separate the reply from the reasoning by blank lines.
    const text = this.#hasThought ? held.trimStart() : held;
    if (text !== '') sink.text(text);
  }

  /** Returns whether there is more to read. */
  #step(sink: TextSink): boolean {
    return this.#state === 'thought' ? this.#think(sink) : this.#begin(sink);
  }

  #begin(sink: TextSink): boolean {
    const start = this.#held.trimStart();
    const tag = TAGS.find(([open]) => start.startsWith(open));
    if (tag) {
      this.#state = 'thought';
      this.#hasThought = true;
      this.#endTag = tag[1];
      this.#held = start.slice(tag[0].length);
      return true;
    }
    if (TAGS.some(([open]) => open.startsWith(start)) && this.#held.length <= MOST_HELD) return false;
    this.#state = 'text';
    this.close(sink);
    return false;
  }

  #think(sink: TextSink): boolean {
    const end = this.#held.indexOf(this.#endTag);
    const known = end === -1 ? this.#held.length - openingOf(this.#endTag, this.#held) : end;
    if (known > 0) sink.thought(this.#held.slice(0, known));
    if (end === -1) {
      this.#held = this.#held.slice(known);
      return false;
    }
    this.#state = 'begin';
    this.#held = this.#held.slice(end + this.#endTag.length);
    return true;
  }
}

/** How many characters at the end of the text can be the beginning of the tag. */
function openingOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
