import type { MessageContent } from '../../contract/content.ts';
import { printableName } from '../../contract/file-name.ts';
import { LIMITS } from '../../contract/limits.ts';
import { firstCharacters } from '../../contract/text-encoding.ts';

/** The initial name of a conversation: the first visible line of its text. */
export function titleOf(content: MessageContent): string {
  for (const part of content) {
    const title = part.type === 'text' ? shortTitle(part.text) : undefined;
    if (title) return title;
  }
  return 'New conversation';
}

const LINES = /[^\n\v\f\r\u0085\u2028\u2029]+/g;

/** The first visible line of a text, cut to the length of a generated name. Undefined if no line is visible. */
export function shortTitle(text: string): string | undefined {
  for (const [line] of text.matchAll(LINES)) {
    const name = visibleName(line);
    if (name) return cut(name);
  }
  return undefined;
}

/** A blank of Braille is visible according to Unicode, but shows nothing. */
const VISIBLE = /[^\s\u2800\p{Default_Ignorable_Code_Point}]/u;

/** A text as one line, without control, bidi and invisible characters. Undefined if nothing visible is left. */
export function visibleName(text: string): string | undefined {
  const name = printableName(text.replace(/\s+/g, ' ')).replace(/ {2,}/g, ' ').trim();
  return VISIBLE.test(name) ? name : undefined;
}

/** A word at the end is dropped if the cut divides it, but not if this drops more characters. */
const LONGEST_DROP = 20;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts between graphemes, and near the end between words. */
function cut(name: string): string {
  const { nameLength } = LIMITS;
  if (name.length <= nameLength) return name;
  const lastSpace = name.lastIndexOf(' ', nameLength);
  if (lastSpace >= nameLength - LONGEST_DROP) return name.slice(0, lastSpace);
  // The next character decides whether a grapheme ends at the limit.
  const start = GRAPHEMES.segment(name.slice(0, nameLength + 2)).containing(nameLength)?.index;
  // A grapheme can be longer than a name.
  return firstCharacters(name, start || nameLength);
}
