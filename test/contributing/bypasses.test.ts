import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { BYPASSES } from '../../src/contract/bypasses.ts';
import { ROOT } from '../support/database.ts';
import { readDocument } from '../support/document-blocks.ts';

const section = readDocument('docs/decisions.md').split('\n## Bypasses\n')[1]?.split('\n## ')[0] ?? '';
const rows = [...section.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)];

it('docs/decisions.md lists every bypass of a library', () => {
  expect(rows.map(([, name]) => name)).toEqual([...BYPASSES]);
});

it('npm run check:bypasses runs the tests that the list names', () => {
  const { scripts } = JSON.parse(readDocument('package.json'));
  const named = [...section.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThanOrEqual(BYPASSES.length);
  expect(named.filter((path) => !scripts['check:bypasses'].includes(path))).toEqual([]);
});

it('PARLEY_BYPASSES_OFF names an unknown bypass in its error', () => {
  const load = ['--import', 'tsx', '-e', "await import('./src/contract/bypasses.ts')", '--input-type=module'];
  const loaded = (names: string) =>
    spawnSync(process.execPath, load, { cwd: ROOT, env: { PARLEY_BYPASSES_OFF: names }, encoding: 'utf8' });
  expect(loaded('columns,colums').stderr).toContain('PARLEY_BYPASSES_OFF: there is no bypass colums.');
  expect([loaded('columns,node-id').status, loaded('all').status]).toEqual([0, 0]);
});
