import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostOfPage, normalizeHost } from '../../src/contract/site-hosts.ts';
import { leastBlockMs } from '../support/event-loop.ts';
import '../support/seed.ts';

describe('normalizeHost', () => {
  it.each([
    ['example.com', 'example.com'],
    ['https://WWW.Example.com:8443/shop', 'example.com'],
    ['www.www.example.com', 'example.com'],
    ['www.com', 'www.com'],
    ['bücher.example.', 'xn--bcher-kva.example'],
    ['[::1]', undefined],
    ['example.com@evil.com', undefined],
    ['', undefined],
  ])('reads %j as %j', (address, host) => {
    expect(normalizeHost(address)).toBe(host);
  });

  it('rejects a host over 253 characters without parsing its labels', async () => {
    const longest = `${'a.'.repeat(126)}a`;
    expect(normalizeHost(longest)).toBe(longest);
    expect(normalizeHost(`b${longest}`)).toBeUndefined();
    const long = `https://${'ü.'.repeat(7_000)}example`;
    const rejectAll = async () => {
      for (let round = 0; round < 100; round += 1) expect(normalizeHost(long)).toBeUndefined();
    };
    expect(await leastBlockMs(rejectAll, 1_000)).toBeLessThan(1_000);
  });

  it('returns a normalized host unchanged', () => {
    const label = fc.constantFrom('www', 'a', 'example', 'com', 'Bücher', '1', '');
    const address = fc.oneof(
      fc.array(label, { maxLength: 5 }).map((labels) => labels.join('.')),
      fc.webUrl(),
      fc.string(),
    );
    fc.assert(
      fc.property(address, (text) => {
        const host = normalizeHost(text);
        if (host !== undefined) expect(normalizeHost(host)).toBe(host);
      }),
    );
  });
});

describe('hostOfPage', () => {
  it.each([
    ['https://www.example.com', 'example.com'],
    ['https://shop.example.com/cart?from=https://evil.com', 'shop.example.com'],
    ['null', undefined],
    ['example.com', undefined],
  ])('reads %j as %j', (page, host) => {
    expect(hostOfPage(page)).toBe(host);
  });
});
