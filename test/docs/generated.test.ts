import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedParts, withPart } from '../../tools/docs-tables.ts';
import { ROOT } from '../support/database.ts';
import { readDocument } from '../support/document-blocks.ts';

interface Manifest {
  readonly workspaces: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

describe('the documents', () => {
  it.each(generatedParts(ROOT))('$path has the $name of the code; npm run docs writes them', (part) => {
    const document = readDocument(part.path);
    expect(document).toBe(withPart(document, part));
  });

  it('docs/dependencies.md lists every package of the workspaces, and no other', () => {
    const { workspaces } = manifestOf('.');
    const packages = new Set(
      ['.', ...workspaces.filter((folder) => !folder.includes('*'))].flatMap((folder) => {
        const { dependencies, devDependencies } = manifestOf(folder);
        return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@parley/'));
      }),
    );
    const rows = readDocument('docs/dependencies.md').matchAll(/^\| (`[^|]+`) \|/gm);
    const listed = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(listed.sort()).toEqual([...packages].sort());
  });

  it('docs/architecture.md lists every folder of src', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const rows = [...readDocument('docs/architecture.md').matchAll(/^\| `src\/([\w-]+)\/` \|/gm)].map(
      ([, name]) => name,
    );
    expect(rows.sort()).toEqual(folders.map(({ name }) => name).sort());
  });
});
