import { describe, expect, it } from 'vitest';
import { readDocument } from '../support/document-blocks.ts';
import { filesOf } from '../support/imports.ts';

const SOURCES = filesOf('src').filter(({ path }) => !path.startsWith('src/web/'));

/** The rows of the table of a section of CONTRIBUTING.md: its cells without backticks. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = readDocument('CONTRIBUTING.md').split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row = '']) => row.replaceAll('`', '').split(' | '));
}

const TOUR = rowsOf('A turn in ten minutes').map(([place = '', name = '']) => ({ place, name }));
const WORDS = rowsOf('Words of the code').map(([word = '', , example = '']) => ({ word, example }));

const defines = (name: string, text: string) =>
  new RegExp(`^(?:export (?:async )?(?:function|class) |mutation\\('|builder\\.mutationField\\(')${name}\\b`, 'm').test(
    text,
  );

describe('The tour of a turn in CONTRIBUTING.md', () => {
  it.each(TOUR)('names the one file that ends with $place and defines $name', ({ place, name }) => {
    const definers = SOURCES.filter(({ text }) => defines(name, text)).map(({ path }) => path);
    const named = definers.filter((path) => path.endsWith(`/${place}`));
    expect(named, `${name} is in ${definers.join(', ') || 'no file'}: correct CONTRIBUTING.md`).toHaveLength(1);
  });

  it('has a whole turn', () => expect(TOUR.length).toBeGreaterThan(12));
});

describe('The words of the code in CONTRIBUTING.md', () => {
  it.each(WORDS)('$word has the example $example, which the code still has', ({ example }) => {
    const users = SOURCES.filter(({ text }) => new RegExp(`\\b${example}\\b`).test(text));
    expect(users.length, `no file of src has ${example}: correct CONTRIBUTING.md`).toBeGreaterThan(0);
  });

  it('are explained once each', () => {
    const words = WORDS.map(({ word }) => word);
    expect(words).toEqual([...new Set(words)]);
    for (const word of ['round', 'step', 'turn', 'run', 'claim', 'effect', 'reach', 'lease', 'fence', 'shape'])
      expect(words).toContain(word);
  });
});
