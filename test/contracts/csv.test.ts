import { describe, expect, it } from 'vitest';
import { csvOf } from '../../src/web/dashboard/csv.ts';

describe('a CSV file of the dashboard', () => {
  it.each([
    ['=HYPERLINK("https://a.example")', `"'=HYPERLINK(""https://a.example"")"`],
    ['+1', "'+1"],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['\n=1', `"'\n=1"`],
    ['a=1', 'a=1'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    [-1.5, '-1.5'],
    [null, ''],
  ])('has no formula and one cell for %j', async (value, cell) => {
    expect(await csvOf([['first'], [value]]).text()).toBe(`first\r\n${cell}\r\n`);
  });
});
