import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';

it('the tree of the image is small enough, and serves as a user who cannot write it', async () => {
  const drill = promisify(execFile)(process.execPath, [join(ROOT, 'tools/image-drill.mjs')], { cwd: ROOT });
  const { stdout } = await drill.catch((error: { stdout: string }) => error);
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([]);
  expect(lines.at(-1)).toBe('ok      SIGTERM: exit code 0');
});
