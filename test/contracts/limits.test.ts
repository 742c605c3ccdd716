import { expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { filesOf } from '../support/imports.ts';

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** A string or template. Tagged templates are SQL. */
const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<![\w>])`(?:[^`\\]|\\.)*`/g;

/** A number in a sentence, with its unit: `200,000`, `8 MiB`. */
const NUMBER =
  /(?<![\w.,:/#=$^~-])(?<digits>\d{1,3}(?:,\d{3})+|\d+)(?: (?<unit>KiB|MiB))?(?![\w%:/-]|[.,]\d| (?:s|min|bits)\b)/g;

const BYTES: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 * 1024 };

/** Smaller numbers are rarely limits. */
const SMALLEST = 5;

const values = new Set<number>(Object.values(LIMITS).filter((value) => value >= SMALLEST));

/** Texts with several words: descriptions, messages, hints. Parts between `${` and `}` are removed. */
function sentencesOf(code: string): string[] {
  const literals = code.replace(COMMENT, '').match(LITERAL) ?? [];
  return literals
    .map((text) => text.replace(/\$\{[^}]*\}/g, '…'))
    .filter((text) => /[a-z]{2} [a-z0-9]/i.test(text) && !text.includes('\n'));
}

function limitsIn(sentence: string): number[] {
  return [...sentence.matchAll(NUMBER)]
    .map(({ groups }) => Number(groups?.digits?.replaceAll(',', '')) * (BYTES[groups?.unit ?? ''] ?? 1))
    .filter((value) => values.has(value));
}

it('descriptions and messages interpolate LIMITS instead of repeating a number', () => {
  const literals = filesOf(
    'src/contract',
    'src/domain',
    'src/graphql',
    'src/http',
    'src/model',
    'src/operation',
    'src/rest',
  )
    .flatMap(({ path, text }) => sentencesOf(text).map((sentence) => ({ path, sentence })))
    .filter(({ sentence }) => limitsIn(sentence).length > 0);
  expect(literals).toEqual([]);
});
