import { describe, expect, it } from 'vitest';
import { parseBody } from '../../src/http/body/parse.ts';
import { SLICE } from '../../src/operation/json-bounds.ts';

describe('a body that is parsed in slices', () => {
  it.each(['a', 'é', '一', '😀', '\\u00e9', '\\"', '"'])('keeps %s at each place', async (character) => {
    for (const shift of [0, 1, 2, 3]) {
      const value = { text: 'x'.repeat(shift) + character.repeat(SLICE), end: true };
      expect(await parseBody(Buffer.from(JSON.stringify(value)), '/')).toEqual(value);
    }
  });

  it('may begin with a byte order mark', async () => {
    for (const text of ['{"a":1}', `{"a":"${'x'.repeat(SLICE)}"}`]) {
      expect(await parseBody(Buffer.from(`\uFEFF${text}`), '/')).toEqual(JSON.parse(text));
    }
  });

  it('lets other work run meanwhile', async () => {
    let rounds = 0;
    const count = setInterval(() => {
      rounds += 1;
    }, 0);
    await parseBody(Buffer.from(`"${'é'.repeat(4 * SLICE)}"${' '.repeat(4 * SLICE)}`), '/');
    clearInterval(count);
    expect(rounds).toBeGreaterThan(0);
  });
});
