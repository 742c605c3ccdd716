import { describe, expect, it } from 'vitest';
import { excerptOf, matcherOf } from '../../src/domain/conversations/excerpts/excerpt-text.ts';

/** The excerpt with its matches in brackets. */
const marked = (text: string, search = '') =>
  excerptOf(text, search ? matcherOf(search) : () => false)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('');

describe('an excerpt', () => {
  it('marks words without regard to case and accents, and the beginning of a word at the end of the search', () => {
    expect(marked('The CAFÉ and the cafeteria', 'cafe')).toBe('The [CAFÉ] and the [cafeteria]');
    expect(marked('A cafe\u0301 of ours', 'café ')).toBe('A [cafe\u0301] of ours');
    expect(marked('invoices of an invoice', 'invoice paid')).toBe('invoices of an [invoice]');
    expect(marked('in an inn', 'in')).toBe('[in] an inn');
  });

  it('marks neither excluded words nor the word between alternatives', () => {
    expect(marked('refund or credit for a late order', 'refund OR "late order" -credit -"a late"')).toBe(
      '[refund] or credit for a [late] [order]',
    );
  });

  it('begins near the first match and ends between words', () => {
    const text = `${'before '.repeat(40)}needle ${'after '.repeat(60)}`;
    const excerpt = marked(text, 'needle');
    expect(excerpt).toMatch(/^… (before )+\[needle\]( after)+ …$/);
    expect(excerpt.length).toBeLessThan(220);
  });

  it('is one line without control characters, and divides no character', () => {
    expect(marked('one\n\n two\t\u202Ethree\u0007')).toBe('one two three');
    for (let length = 1; length < 4; length += 1) {
      const excerpt = marked('😀'.repeat(400).slice(length % 2 ? 0 : 2) + 'x'.repeat(length));
      expect(excerpt.isWellFormed()).toBe(true);
    }
    expect(marked(`${'😀'.repeat(90)}needle`, 'needle').isWellFormed()).toBe(true);
  });

  it('has no parts without a visible text', () => {
    expect(excerptOf(' \n\t', matcherOf('a'))).toEqual([]);
  });
});
