import { describe, expect, it } from 'vitest';
import { RECIPES } from '../../tools/recipes/all.ts';
import { readDocument } from '../support/document-blocks.ts';

const [, guide = ''] = readDocument('CONTRIBUTING.md').split('\n## Recipes\n');

/** The numbers of the steps of a recipe in CONTRIBUTING.md. */
function stepsOf(name: string): number[] {
  const [, section = ''] = guide.split(`\n### ${name}\n`);
  return [...(section.split('\n### ')[0] ?? '').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
}

describe.each(RECIPES)('the recipe "$name"', ({ name, unchecked = {}, declares, steps }) => {
  it('has every step of CONTRIBUTING.md, or the reason why nothing can find it forgotten', () => {
    const numbers = [...declares, ...steps].map(({ number }) => number).concat(Object.keys(unchecked).map(Number));
    expect([...new Set(numbers)].toSorted((a, b) => a - b)).toEqual(stepsOf(name));
  });
});
