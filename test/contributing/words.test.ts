import { describe, expect, it } from 'vitest';
import { wordsIn, wordsInPath } from '../../tools/words.mjs';

const found = (text: string) => wordsIn(text).map((hit) => hit.found.toLowerCase());

describe('The word check', () => {
  it.each([
    ['a comment', '// The client is told.', 'told'],
    ['a capital letter', 'Whoever asks', 'whoever'],
    ['a part of a camelCase identifier', 'const isToldTwice = 1', 'told'],
    ['a part of a PascalCase identifier', 'class HTTPDoorList {}', 'door'],
    ['a part of a kebab-case identifier', 'class="row-behind-list"', 'behind'],
    ['a part of a snake_case identifier', 'select told_at from t', 'told'],
    ['a phrase', 'a turn is at work', 'at work'],
    ['a phrase as an identifier', 'const atWork = 1', 'at work'],
    ['a phrase over two lines of a comment', '/**\n * It is kept for\n * ever.\n */', 'for ever'],
    ['a phrase in two strings', "'It goes on ' +\n  'with the next.'", 'goes on with'],
    ['a noun', 'Null where there is none.', 'none'],
    ['a condition after "also"', 'Counts it, also\n * if it fails.', 'also if'],
    ['a participle after "as it was"', 'Stored as it was asked.', 'as it was asked'],
    ['a response "under" a key', 'stored under its idempotency key', 'under its idempotency key'],
    ['a verb with two meanings', 'what a client meets', 'meets'],
    ['an old identifier', 'import { refusedTurn } from', 'refusedturn'],
  ])('finds %s', (_where, text, word) => {
    expect(found(text)).toEqual([word]);
  });

  it('reports the line and a replacement', () => {
    expect(wordsIn('one\ntwo\nwhat is told')).toEqual([{ line: 3, found: 'told', say: expect.stringMatching(/./) }]);
  });

  it.each([
    ['a quoted value', "kind === 'none'"],
    ['a CSS value', '.row { display: none; }'],
    ['a CSS class', '<div className="pointer-events-none p-2">'],
    ['an HTTP header', "'If-None-Match': etag, headers.ifNoneMatch"],
    ['a cookie attribute', 'Set-Cookie: a=b; SameSite=None'],
    ['rounding', 'Math.floor(1.5)'],
    ['a time', 'as soon as they are stored, as it is'],
    ['a longer word', 'indoor, sideboards, stolds, fordeafen, nonetheless'],
  ])('allows %s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });

  it('reads file names', () => {
    expect(wordsInPath('src/ops/doors.ts').map((hit) => hit.found)).toEqual(['doors']);
    expect(wordsInPath('src/rest/helpers.ts').map((hit) => hit.found)).toEqual(['helpers']);
    expect(wordsInPath('src/rest/common-fields.ts')).toEqual([]);
  });
});
