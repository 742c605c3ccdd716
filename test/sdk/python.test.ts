import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { blocksOf } from '../support/document-blocks.ts';
import { startService } from '../support/service.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!hasPython)('the example for Python in docs/sdk.md prints what the guide shows', async () => {
  const service = await startService();
  const blocks = blocksOf('docs/sdk.md');
  const index = blocks.findIndex(({ language }) => language === 'python');
  const [example, output] = blocks.slice(index);
  const text = example?.text.replace('http://127.0.0.1:4000', service.url) ?? '';
  const env = { PATH: process.env.PATH, KEY: service.key };
  const { stdout } = await promisify(execFile)('python3', ['-c', text], { env });
  expect(stdout).toBe(output?.text);
  await service.close();
});
