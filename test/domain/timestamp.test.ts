import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOf } from '../../src/db/timestamp.ts';
import '../support/seed.ts';

describe('a timestamptz of PostgreSQL', () => {
  it('is the date that it stands for, from the year 0 to 9999', () => {
    const range = { min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        const text = date.toISOString().replace('T', ' ').replace('Z', '+00');
        // PostgreSQL writes no zeros at the end of the fraction.
        expect(dateOf(text.replace(/(\.\d*?)0+\+/, '$1+').replace('.+', '+')).getTime()).toBe(date.getTime());
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:00.5+00', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31 09:30:00.05+00', '2026-01-31T09:30:00.050Z'],
    ['2026-01-31 09:30:00.123456+00', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31 09:30:00+02', '2026-01-31T07:30:00.000Z'],
    ['2026-01-31 09:30:00.123+05:30', '2026-01-31T04:00:00.123Z'],
  ])('%s is %s', (text, expected) => {
    expect(dateOf(text).toISOString()).toBe(expected);
  });

  it('is invalid if it is infinite, as before', () => {
    expect(dateOf('infinity').getTime()).toBeNaN();
  });
});
