import { expect, it } from 'vitest';
import { DOCUMENTS, readDocument } from '../support/document-blocks.ts';
import { longParagraphs, wordsBefore } from './paragraphs.ts';

it.each([...DOCUMENTS, 'CONTRIBUTING.md'])('%s has no paragraph over 600 characters', (file) => {
  expect(longParagraphs(file, readDocument(file))).toEqual([]);
});

const LONG = 'Twenty characters. ..'.repeat(30);

it.each([
  ['a paragraph', LONG],
  ['the lines of a paragraph together', `${LONG.slice(0, 400)}\n${LONG.slice(0, 400)}`],
  ['an item of a list', `- short\n- ${LONG}`],
  ['an indented item', `1. short\n   - ${LONG}`],
])('finds %s', (_what, text) => {
  expect(longParagraphs('docs/a.md', text)).toEqual([
    expect.stringMatching(/^docs\/a\.md:\d has a paragraph of \d+ characters\. Split it/),
  ]);
});

it.each([
  ['code', `\`\`\`text\n${LONG}\n\`\`\``],
  ['code in an item', `- short\n\n  \`\`\`text\n${LONG}\n  \`\`\``],
  ['a table', `| head |\n|---|\n| ${LONG} |`],
  ['items that are long only together', `- ${LONG.slice(0, 400)}\n- ${LONG.slice(0, 400)}`],
])('allows %s', (_what, text) => {
  expect(longParagraphs('docs/a.md', text)).toEqual([]);
});

it('docs/decisions.md has at most 3,000 words before its bypasses: delete what a guide explains, or move figures to test/bench', () => {
  expect(wordsBefore('Bypasses', readDocument('docs/decisions.md'))).toBeLessThanOrEqual(3000);
});

it('counts the words before a heading, without code', () => {
  expect(wordsBefore('End', '# A guide\n\nThree words - **here**.\n\n```sh\nrun it\n```\n\n## End\n\nMore words')).toBe(
    5,
  );
});
