import { describe, expect, it } from 'vitest';
import { spokenText } from '../../src/web/messages/spoken-text.ts';

describe('the spoken text of a reply', () => {
  it.each([
    ['## Title\n\nText', 'Title\n\nText'],
    ['**Bold**, *slanted* and `code`', 'Bold, slanted and code'],
    ['See [the guide](https://example.com/a).', 'See the guide.'],
    ['```ts\nlet a = 1;\n```', 'let a = 1;'],
    ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
    ['> Quoted', 'Quoted'],
  ])('of %j is %j', (markdown, spoken) => {
    expect(spokenText(markdown)).toBe(spoken);
  });
});
