import { describe, expect, it } from 'vitest';
import { mayMatch } from '../../src/domain/json-schema/value-problem.ts';

const LARGE = { type: 'object', properties: { amount: { minimum: 100 } }, required: ['amount'] };

describe('whether arguments match the schema of an approval', () => {
  it.each([
    [{ amount: 100 }, true],
    [{ amount: 99 }, false],
    [{}, false],
  ])('%j: %j', (value, matches) => expect(mayMatch(LARGE, value)).toBe(matches));

  it('is true if the check takes too long, so that a call cannot avoid its approval', () => {
    // Each definition tries the next one twice.
    const definitions = Array.from({ length: 27 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === 26 ? { type: 'string' } : { anyOf: [next, next] }] as const;
    });
    const schema = { ...LARGE, properties: { amount: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(definitions) };
    expect(mayMatch(schema, { amount: 5 })).toBe(true);
  });
});
