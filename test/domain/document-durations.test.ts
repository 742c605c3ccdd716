import { describe, expect, it } from 'vitest';
import { addDuration, percentileMs, sumOfDurations } from '../../src/domain/documents/durations.ts';

function durationsOf(...times: number[]): number[] {
  const durations: number[] = [];
  for (const ms of times) addDuration(durations, ms);
  return durations;
}

describe('response times of documents', () => {
  it('are known within 10 %', () => {
    for (let ms = 1; ms < 60_000; ms *= 1.013) {
      expect(Math.abs((percentileMs(durationsOf(ms), 0.5) ?? 0) / ms - 1), `${ms} ms`).toBeLessThan(0.1);
    }
  });

  it('have a median and a 95th percentile', () => {
    const times = Array.from({ length: 100 }, (_, index) => (index < 94 ? 10 : 1_000));
    const durations = durationsOf(...times);
    expect(percentileMs(durations, 0.5)).toBeCloseTo(10, -1);
    expect(percentileMs(durations, 0.95)).toBeGreaterThan(900);
  });

  it('have no percentiles without calls', () => {
    expect(percentileMs([], 0.5)).toBeNull();
  });

  it('are added up, even if one has more classes', () => {
    const sum = sumOfDurations([durationsOf(0.2), durationsOf(0.4, 3), []]);
    expect(sum).toEqual(durationsOf(0.2, 0.4, 3));
  });

  it('have a bounded number of classes', () => {
    expect(durationsOf(0, -1, 1e12, Number.MAX_VALUE)).toHaveLength(66);
  });
});
