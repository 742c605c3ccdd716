import { describe, expect, it } from 'vitest';
import { readDocument } from '../support/document-blocks.ts';

const GUIDE = readDocument('docs/concepts.md');

/** The rows of the tables, without heads and rules. */
const ROWS = [...GUIDE.matchAll(/^\| (?!term |status |-)(.+) \|$/gm)].map(([, row = '']) => row.split(' | '));

describe('docs/concepts.md', () => {
  it.each(ROWS.map((cells) => [cells[0], cells] as const))(
    'defines %s in one to three sentences, and links to a guide',
    (_term, cells) => {
      expect(cells).toHaveLength(3);
      expect(cells[1]?.split(/[.?!](?: |$)/).filter(Boolean).length).toBeLessThanOrEqual(3);
      expect(cells[2]).toMatch(/^\[[^\]]+\]\([\w-]+\.md(?:#[\w-]+)?\)$/);
    },
  );

  it('has no instructions: a guide has them', () => {
    expect(ROWS.length).toBeGreaterThan(30);
    expect(GUIDE).not.toContain('```');
    expect(GUIDE.split('\n').filter((line) => /^[-*\d]/.test(line))).toEqual([]);
  });
});
