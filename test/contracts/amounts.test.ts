import { describe, expect, it } from 'vitest';
import { formatCost, formatExactCost } from '../../src/web/ui/numbers.ts';

describe('an amount', () => {
  it.each([
    [1_234.5, '$1,234.50'],
    [0, '$0.00'],
    [0.12, '$0.12'],
    [0.1341, '$0.1341'],
    [0.0005, '$0.0005'],
    [0.0001, '$0.0001'],
    [0.0000926, '<$0.0001'],
    ['0.00000001', '<$0.0001'],
  ])('of %s is shown as %s', (amount, text) => {
    expect(formatCost(amount, 'USD')).toBe(text);
  });

  it('without a price is unknown', () => {
    expect(formatCost(null, 'USD')).toBe('–');
  });

  it('on an axis and of a price keeps its digits', () => {
    expect(formatExactCost(0.0000926, 'EUR')).toBe('€0.0000926');
  });
});
