import { expect, it } from 'vitest';
import { isoTextOf } from '../../src/contract/iso-text.ts';

it('a date is written as `toISOString` writes it, on any day and in any order', () => {
  const step = 86_123_771;
  const times = Array.from({ length: 2_000 }, (_, index) => Date.UTC(2026, 0, 1) + (index % 2 ? -1 : 1) * index * step);
  const edges = [0, -1, 1, 86_399_999, 86_400_000, Date.UTC(9999, 11, 31, 23, 59, 59, 999), 8.64e15, -8.64e15];
  for (const time of [...times, ...edges]) expect(isoTextOf(new Date(time))).toBe(new Date(time).toISOString());
});

it('a date that is not valid is an error, as in `toISOString`', () => {
  expect(() => isoTextOf(new Date(Number.NaN))).toThrow(RangeError);
});
