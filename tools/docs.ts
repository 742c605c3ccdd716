// `npm run docs`: writes the parts of the documents that the code determines.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedParts, withPart } from './docs-tables.ts';

const root = join(import.meta.dirname, '..');
for (const part of generatedParts(root)) {
  const file = join(root, part.path);
  writeFileSync(file, withPart(readFileSync(file, 'utf8'), part));
  console.log(`Wrote ${part.name} to ${part.path}`);
}
