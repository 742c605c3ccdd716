import { expect, it } from 'vitest';
import { withStableKeys } from '../../src/model/stable-keys.ts';

const textOf = (value: unknown) => JSON.stringify(withStableKeys(value));

it('writes equal values as equal texts, whatever the order of their keys was', () => {
  const one = { city: 'Bonn', at: [{ long: 1, b: null, a: [] }], __proto: 'x', é: 1, z: 2 };
  const other = { z: 2, é: 1, __proto: 'x', at: [{ a: [], b: null, long: 1 }], city: 'Bonn' };
  expect(textOf(one)).toBe(textOf(other));
  expect(textOf(one)).toBe('{"z":2,"é":1,"at":[{"a":[],"b":null,"long":1}],"city":"Bonn","__proto":"x"}');
});

it('keeps the order of lists, and values without keys', () => {
  expect(withStableKeys([2, 'b', null, 1])).toEqual([2, 'b', null, 1]);
  expect(withStableKeys('text')).toBe('text');
  expect(withStableKeys(undefined)).toBeUndefined();
});

it('does not copy a value that has the order', () => {
  const value = { a: 1, bb: [{ c: 2, dd: 3 }] };
  expect(withStableKeys(value)).toBe(value);
});

it('keeps a key named __proto__', () => {
  expect(textOf(JSON.parse('{"__proto__":{"b":1},"a":2}'))).toBe('{"a":2,"__proto__":{"b":1}}');
});
