import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatBytes, formatCount } from '../../src/contract/quantities.ts';
import '../support/seed.ts';

it('writes counts as Intl does in English', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(20_000), fc.maxSafeNat()), (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString('en'));
    }),
  );
});

it.each([
  [8 * 1024 * 1024, '8 MiB'],
  [256 * 1024, '256 KiB'],
  [15_000, '15,000 bytes'],
])('writes %i bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
