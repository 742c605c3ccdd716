import { describe, expect, it } from 'vitest';
import { monthOf } from '../../src/web/dashboard/usage/month.ts';

describe('the month of the forecast', () => {
  it('begins and ends at midnight in the time zone', () => {
    const month = monthOf(Date.parse('2026-11-30T23:30:00Z'), 'Europe/Berlin');
    expect(month).toMatchObject({
      name: 'December',
      soFar: { from: '2026-11-30T23:00:00.000Z', to: '2026-12-01T23:00:00.000Z' },
      lastDays: { from: '2026-11-23T23:00:00.000Z', to: '2026-11-30T23:00:00.000Z' },
    });
    expect(month.daysLeft).toBeCloseTo(31 - 0.5 / 24, 9);
  });

  it('follows a clock change within the month', () => {
    const month = monthOf(Date.parse('2026-03-31T12:00:00Z'), 'Europe/Berlin');
    expect(month.soFar).toEqual({ from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z' });
    expect(month.lastDays).toEqual({ from: '2026-03-23T23:00:00.000Z', to: '2026-03-30T22:00:00.000Z' });
    expect(month.daysLeft).toBeCloseTo(10 / 24, 9);
  });

  it('follows a clock change near midnight', () => {
    const month = monthOf(Date.parse('2026-03-09T05:00:00Z'), 'America/New_York');
    expect(month.lastDays).toEqual({ from: '2026-03-02T05:00:00.000Z', to: '2026-03-09T04:00:00.000Z' });
  });
});
