import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/database.ts';

/** A fenced block of a Markdown file. */
export interface Block {
  readonly file: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /**
   * What the info string says after the language: `run` (a test runs it), `output` (what the block before prints), or
   * `not-run="reason"`.
   */
  readonly purpose: string;
  readonly text: string;
}

/** Files whose examples are tested, from the root of the repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const readDocument = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export const FENCE = /^```(\S*)[ \t]*(.*)\n([\s\S]*?)^```[ \t]*$/gm;

export function blocksOf(file: string): Block[] {
  const document = readDocument(file);
  return [...document.matchAll(FENCE)].map(({ index, 1: language = '', 2: purpose = '', 3: text = '' }) => {
    return { file, line: document.slice(0, index).split('\n').length, language, purpose, text };
  });
}
