import { describe, expect, it } from 'vitest';
import { quote } from '../../src/domain/access/mail/quote.ts';

describe('a quoted name of a tenant', () => {
  it.each([
    ['Acme Inc.', '"Acme Inc."'],
    ['R&D (Zürich) – 東京', '"R&D (Zürich) – 東京"'],
    ['a\r\nb\u2028c\u0000d\te', '"a b c d e"'],
    ['safe\u202egnp.exe\u2066\u200b', '"safe gnp. exe"'],
    ['http://evil.test/login', '"http: evil. test login"'],
    ['HTTPS:\\\\evil.test', '"HTTPS: evil. test"'],
    ['www.evil.test:8080', '"www. evil. test: 8080"'],
    ['ｅｖｉｌ．ｔｅｓｔ evil。test evil․test', '"evil. test evil。 test evil. test"'],
    ['eve@evil.test mailto:eve＠evil.test', '"eve at evil. test mailto: eve at evil. test"'],
    ['A" invites you. Now “go”', `"A' invites you. Now 'go'"`],
    ['<a href=x>', `"'a href=x'"`],
    ['', '""'],
  ])('is safe: case %#', (name, quoted) => {
    expect(quote(name)).toBe(quoted);
  });

  it('has at most 60 characters and few marks on each', () => {
    expect(quote('x'.repeat(200))).toBe(`"${'x'.repeat(59)}…"`);
    expect(quote('👩'.repeat(61))).toBe(`"${'👩'.repeat(59)}…"`);
    expect(quote(`a${'\u0332'.repeat(50)}`)).toBe('"a\u0332\u0332"');
  });
});
