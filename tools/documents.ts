import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { concatAST, type DocumentNode, Kind, parse, print, separateOperations } from 'graphql';
import { idOfDocument } from '../src/graphql/server/trusted-documents.ts';

/** The manifest of these documents: each operation with its fragments, by ID. */
export function manifestOf(documents: readonly DocumentNode[]): Record<string, string> {
  const whole = concatAST(documents);
  const operations = Object.values(separateOperations(whole)).filter(({ definitions }) =>
    definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION),
  );
  return Object.fromEntries(operations.map(print).map((text) => [idOfDocument(text), text]));
}

/** `npm run documents NAME FILE…`: writes schema/documents/NAME.json from .graphql files. */
function main(root: string, [name, ...files]: readonly string[]): void {
  if (!name || files.length === 0) throw new Error('Usage: npm run documents NAME FILE… (.graphql files)');
  const directory = join(root, 'schema/documents');
  mkdirSync(directory, { recursive: true });
  const manifest = manifestOf(files.map((file) => parse(readFileSync(file, 'utf8'))));
  const path = join(directory, `${basename(name, '.json')}.json`);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(`Wrote ${Object.keys(manifest).length} documents to ${path}`);
}

if (import.meta.filename === process.argv[1]) main(join(import.meta.dirname, '..'), process.argv.slice(2));
