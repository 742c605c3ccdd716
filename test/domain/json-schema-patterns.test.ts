import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/domain/json-schema/budget.ts';
import { compilePattern } from '../../src/domain/json-schema/pattern.ts';
import { matches } from '../../src/domain/json-schema/pattern-match.ts';
import '../support/seed.ts';

function run(source: string, text: string): boolean | undefined {
  const budget = new Budget();
  const pattern = compilePattern(source, budget);
  return pattern && matches(pattern, text, budget);
}

const NATIVE = new Script('new RegExp(pattern, "u").test(text)');

/** What the native engine finds. Undefined if it takes too long: unlike ours, it can take exponential time. */
function native(pattern: string, text: string): boolean | undefined {
  try {
    return NATIVE.runInContext(Object.assign(context, { pattern, text }), { timeout: 500 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

const context = createContext({});

const ATOMS = [
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\S',
  '[ab]',
  '[^a]',
  '[\\d-]',
  'é',
  '\\u0061',
  '\\x62',
  '\\.',
  '\\/',
  '\\p{L}',
];
const atom = fc.constantFrom(...ATOMS);
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?');
const source = fc.letrec<{ pattern: string; sequence: string; term: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((each) => each.join('|')),
  sequence: fc.array(tie('term'), { maxLength: 4 }).map((each) => each.join('')),
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(atom, quantifier).map((each) => each.join('')),
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), quantifier)
      .map(([open, inner, count]) => `${open}${inner})${count}`),
  ),
})).pattern;

describe('patterns of JSON Schemas', () => {
  it('match the same texts as the native engine', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '.', '-', 'é', '😀', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(source, text, (pattern, sample) => {
        // A duplicate group name makes an expression invalid.
        fc.pre((pattern.match(/\(\?<n>/g) ?? []).length < 2);
        // V8 finds `\\B` in the middle of a surrogate pair.
        fc.pre(!(pattern.includes('\\B') && sample.includes('😀')));
        const expected = native(pattern, sample);
        fc.pre(expected !== undefined);
        expect(run(pattern, sample)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(?P<n>a)',
    '(?i)a',
    '\\Aa',
    'a\\Z',
    '(',
    'a)',
    '[a',
    '*',
    'a{2,1}',
    '\\',
  ])('are not evaluated: %s', (pattern) => {
    expect(run(pattern, 'a')).toBeUndefined();
  });

  it.each([
    ['a brace that counts nothing', '^{a}$', '{a}', true],
    ['an escape that only older patterns have', '^\\-\\@$', '-@', true],
    ['a class of an e-mail address', "^[A-Za-z0-9_'+\\-\\.]+@[a-z]+$", 'a.b@c', true],
    ['one character of two units', '^.$', '😀', true],
    ['a surrogate pair', '^\\ud83d\\ude00$', '😀', true],
    ['a thousand characters', '^[a-z]{1,1000}$', 'a'.repeat(1_000), true],
    ['one too many', '^[a-z]{1,1000}$', 'a'.repeat(1_001), false],
  ])('read %s', (_what, pattern, text, expected) => {
    expect(run(pattern, text)).toBe(expected);
  });
});
