import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';

const run = promisify(execFile);

const COMMITTED = join(ROOT, 'src/sdk/reference');

async function pagesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

describe('the reference of the SDK', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-reference-'));
    const workspace = join(ROOT, 'tools/sdk-reference');
    // Fails on a link to something that is not exported.
    await run('npx', ['--no-install', 'typedoc', '--out', folder], { cwd: workspace });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('describes the code as it is; otherwise run npm run docs', async () => {
    expect(await pagesIn(COMMITTED)).toEqual(await pagesIn(folder));
  });

  it('describes what each entry point exports', async () => {
    const pages = await pagesIn(COMMITTED);
    expect(pages['index.md']).toContain('### createClient()');
    expect(pages['react.md']).toContain('### useAgent()');
    expect(pages['server.md']).toContain('### verifyWebhook()');
  });
});
