import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const hasHooks = major > 22 || (major === 22 && minor >= 15);

it.runIf(hasHooks)(
  'the guide counts the functions on the way of a turn to the model, and names their parameters',
  { timeout: 120_000 },
  async () => {
    const tsx = join(ROOT, 'node_modules/.bin/tsx');
    const { stdout } = await promisify(execFile)(tsx, ['tools/walk.ts'], { cwd: ROOT });
    const [, counts, names] = /^(\d+ functions in \d+ folders), (\d+ names: .*)$/m.exec(stdout) ?? [];
    const guide = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    expect(guide).toContain(`${counts} have it in a parameter.`);
    expect(guide).toContain(`Their parameters have ${names}.`);
  },
);
