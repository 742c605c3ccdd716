import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const gate = read('.ci/run');
const workflow = read('.github/workflows/gate.yml');

/** The scripts of package.json that the gate runs, whatever the reporter. */
const stages = [...gate.matchAll(/^\s*(?:npm run (check)\b|run ([a-z:]+) )/gm)].map(
  ([, check, test]) => check ?? test ?? '',
);

describe('The GitHub workflow', () => {
  it('reads the stages of the gate', () => {
    expect(stages).toEqual(expect.arrayContaining(['check', 'test', 'test:processes']));
  });

  it.each([...new Set(stages)])('runs the stage %s of the gate', (stage) => {
    expect(workflow).toMatch(new RegExp(`npm (run )?${stage}$|script: \\[.*'${stage}'`, 'm'));
  });

  it('starts the servers that the gate checks', () => {
    for (const name of ['TEST_DATABASE_URL', 'TEST_REDIS_URL']) {
      const url = new RegExp(`${name}:-([^}]+)}`).exec(gate)?.[1];
      expect(workflow).toContain(`${name}: ${url}`);
    }
  });
});
