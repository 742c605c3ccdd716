import { printableName } from '../../../contract/file-name.ts';

/** A piece of an excerpt. The pieces follow each other without anything between them. */
export interface ExcerptPart {
  readonly text: string;
  /** Whether it is a word that the search looked for. */
  readonly isMatch: boolean;
}

/** Characters of an excerpt. It ends between words, so it can be a little longer or shorter. */
export const EXCERPT_LENGTH = 200;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** What a search excludes: a minus before a word or before words in quotes. */
const EXCLUDED = /(^|\s)-("[^"]*"?|\S+)/g;

/** The word between alternatives. */
const OR = 'or';

/** Shorter beginnings of words are searched as whole words, like in the search itself. */
const SHORTEST_BEGINNING = 3;

/** The characters before the first match that an excerpt keeps. */
const BEFORE = 60;

/** A word as the search compares it: without case and accents. */
const folded = (word: string) => word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Whether a word of a text is one that the search looked for. */
export function matcherOf(search: string): (word: string) => boolean {
  const words = (search.replace(EXCLUDED, ' ').match(WORD) ?? []).map(folded).filter((word) => word !== OR);
  const last = /[\p{L}\p{N}]$/u.test(search) ? words.at(-1) : undefined;
  const beginning = last && last.length >= SHORTEST_BEGINNING ? last : undefined;
  const known = new Set(words);
  return (word) => {
    const compared = folded(word);
    return known.has(compared) || (beginning !== undefined && compared.startsWith(beginning));
  };
}

/** An excerpt of a text, as one line: around its first match, or from its start if nothing matches. */
export function excerptOf(text: string, isMatch: (word: string) => boolean): readonly ExcerptPart[] {
  const line = printableName(text.replace(/\s+/g, ' ')).trim();
  const matches = [...line.matchAll(WORD)].filter(([word]) => isMatch(word));
  const first = matches[0]?.index ?? 0;
  const start = first > BEFORE ? wordFrom(line, first - BEFORE, first) : 0;
  const end = start + EXCERPT_LENGTH < line.length ? wordUntil(line, start + EXCERPT_LENGTH) : line.length;
  const parts: ExcerptPart[] = [];
  const add = (piece: string, isFound = false) => {
    if (piece) parts.push({ text: piece, isMatch: isFound });
  };
  let position = start;
  if (start > 0) add('… ');
  for (const { 0: word, index } of matches) {
    if (index + word.length > end) break;
    add(line.slice(position, index));
    add(word, true);
    position = index + word.length;
  }
  add(line.slice(position, end));
  if (end < line.length) add(' …');
  return parts;
}

/** The start of the first word after a position, or the position if there is no space before `most`. */
function wordFrom(line: string, position: number, most: number): number {
  const space = line.indexOf(' ', position);
  return space < 0 || space >= most ? position + trailing(line, position) : space + 1;
}

/** The end of the last word before a position. */
function wordUntil(line: string, position: number): number {
  const space = line.lastIndexOf(' ', position);
  return space > position - BEFORE ? space : position - trailing(line, position);
}

/** 1 if the position divides a surrogate pair. */
const trailing = (line: string, position: number) =>
  /^[\uDC00-\uDFFF]/.test(line.slice(position, position + 1)) ? 1 : 0;
