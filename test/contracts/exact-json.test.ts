import { describe, expect, it } from 'vitest';
import { exactText, hasInexactInteger, inexactNumber, parseExact, roughNumber } from '../../src/contract/exact-json.ts';
import { leastBlockMs } from '../support/event-loop.ts';

describe('a number in a JSON text', () => {
  it.each([
    ['{"id":2512292042121000001}', '2512292042121000001'],
    ['[1, -9007199254740993]', '-9007199254740993'],
    ['{"amount":12345678901234567.25}', '12345678901234567.25'],
    ['1e999', '1e999'],
    ['{"a":"\\\\","b":9007199254740993}', '9007199254740993'],
  ])('of %s is inexact', (json, number) => {
    expect(inexactNumber(json)).toBe(number);
  });

  it.each([
    '{"id":"2512292042121000001"}',
    '{"id":"\\"2512292042121000001"}',
    '9007199254740991',
    '6.02e23',
    '3.14159265358979323846',
    '{"1234567890123456789":1}',
  ])('of %s is exact', (json) => {
    expect(inexactNumber(json)).toBeUndefined();
    expect(parseExact(json)).toEqual(JSON.parse(json));
  });

  it('survives parsing and writing', () => {
    const json = '{"text":"12345678901234567890","id":2512292042121000001,"list":[1e999,1.5]}';
    expect(exactText(parseExact(json))).toBe(json);
  });

  it('has a rough value', () => {
    expect([parseExact('9007199254740993'), 7, 'seven'].map(roughNumber)).toEqual([9007199254740992, 7, undefined]);
  });

  it('is found in megabytes of text at once', async () => {
    const json = JSON.stringify({ text: '"\\'.repeat(2_000_000), id: 1 }).replace('1}', '12345678901234567890}');
    const find = async () => expect(inexactNumber(json)).toBe('12345678901234567890');
    expect(await leastBlockMs(find, 1_000)).toBeLessThan(1_000);
  });
});

it('an integer beyond 2^53 is found in a value', () => {
  expect(hasInexactInteger({ rows: [{ id: 2 ** 60 }] })).toBe(true);
  expect(hasInexactInteger({ rows: [{ id: 2 ** 53 - 1, share: 0.1, name: '1'.repeat(20), empty: null }] })).toBe(false);
});
