import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../tools/mutants/all.ts';
import { ROOT } from '../support/database.ts';

const report = readFileSync(join(ROOT, 'test/mutants/REPORT.md'), 'utf8');

describe('the table of mutants', () => {
  it.each(MUTANTS)('names one place of $file and an existing test: $name', ({ file, find, test }) => {
    expect(readFileSync(join(ROOT, 'src', file), 'utf8').split(find)).toHaveLength(2);
    expect(existsSync(join(ROOT, 'test', test))).toBe(true);
  });

  it('has a row in the report for every mutant, and no survivor', () => {
    const names = [...report.matchAll(/^\| (.*?) \| `.*\|$/gm)].map(([, name]) => name);
    expect(names).toEqual(MUTANTS.map(({ name }) => name));
    expect(report).not.toContain('**survived**');
  });
});
