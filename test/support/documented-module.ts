import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { ROOT } from './database.ts';
import { blocksOf } from './document-blocks.ts';

/** Inside the repository, so that the module finds the packages that it imports. */
const FOLDER = join(ROOT, '.cache');

interface Place {
  /** The address that replaces the one of the guide. */
  readonly url: string;
  readonly key: string;
}

/**
 * Imports the TypeScript block of a guide that exports a name, as a reader would copy it. So what the guide shows is what
 * a test uses.
 */
export async function documentedModule<Module>(file: string, name: string, { url, key }: Place): Promise<Module> {
  const block = blocksOf(file).find(
    ({ language, text }) => language === 'ts' && new RegExp(`^export (const|function) ${name}\\b`, 'm').test(text),
  );
  if (!block) throw new Error(`${file} has no block that exports ${name}`);
  const { code } = await transform(block.text, { loader: 'ts', format: 'esm' });
  const localized = code
    .replaceAll('http://127.0.0.1:4000', url)
    .replaceAll('process.env.KEY', () => JSON.stringify(key));
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(join(FOLDER, 'documented-'));
  try {
    const path = join(folder, `${name}.mjs`);
    await writeFile(path, localized);
    return (await import(path)) as Module;
  } finally {
    await rm(folder, { recursive: true });
  }
}
