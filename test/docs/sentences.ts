import { FENCE, readDocument } from '../support/document-blocks.ts';

/** A sentence of a paragraph or of a list item, or a row of a table. */
export interface Sentence {
  /** From 1. */
  readonly line: number;
  /** The line of the heading above it, or 0. */
  readonly section: number;
  readonly text: string;
}

/** A heading, a row of a table, an item of a list, or a paragraph: up to an empty line or the next of these. */
const PART = /^\S(?:(?!\n\s*\n|\n#+ |\n[-*] |\n\d+\. |\n\|)[\s\S])*/gm;

/** Full stops of numbers, paths and code have no space after them. A sentence begins with a capital, a number, code, a quote or a link. */
const SENTENCE_END = /(?<=[.!?])\s+(?=["(*[`A-Z\d])/;

const TABLE_RULE = /^\|[-:| ]+\|$/;

/** The rows below the head of a table and its line of dashes. The head claims nothing. */
const isRow = (row: string, next: string | undefined) => !TABLE_RULE.test(row) && !TABLE_RULE.test(next ?? '');

export function sentencesOf(file: string): Sentence[] {
  const prose = readDocument(file).replace(FENCE, (block) => block.replace(/.*/g, ''));
  const lineAt = (index: number) => prose.slice(0, index).split('\n').length;
  let section = 0;
  return [...prose.matchAll(PART)].flatMap(({ index, 0: part }) => {
    const line = lineAt(index);
    if (part.startsWith('#')) {
      section = line;
      return [];
    }
    if (part.startsWith('|')) {
      return isRow(part, prose.split('\n', line + 1)[line]) ? [{ line, section, text: part }] : [];
    }
    let end = index;
    return part.split(SENTENCE_END).map((text) => {
      const start = prose.indexOf(text, end);
      end = start + text.length;
      return {
        line: lineAt(start),
        section,
        text: text
          .replace(/^(?:[-*]|\d+\.) /, '')
          .replace(/\s+/g, ' ')
          .trim(),
      };
    });
  });
}
