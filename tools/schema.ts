import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../src/graphql/schema.ts';
import { openApiDocument } from '../src/rest/openapi.ts';
import { loadRoutes } from '../src/rest/router.ts';

/** A file of `schema/` that the code determines. */
export interface ContractFile {
  readonly path: string;
  readonly text: string;
}

/** The contracts as the code has them now. `root` holds `package.json` and `schema/`. */
export function contractFiles(root: string): ContractFile[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const document = openApiDocument(schema, loadRoutes(schema, root), version);
  return [
    { path: 'schema/schema.graphql', text: `${printSchema(lexicographicSortSchema(schema))}\n` },
    { path: 'schema/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
  ];
}

/** `npm run schema`: writes them. With `--check`: names those that differ, and fails. */
function main(root: string, checks: boolean): void {
  for (const { path, text } of contractFiles(root)) {
    const file = join(root, path);
    if (!checks) {
      writeFileSync(file, text);
      console.log(`Wrote ${path}`);
    } else if (contentOf(file) !== text) {
      console.error(`${path} is not what the code gives. Run npm run schema, and read what changed.`);
      process.exitCode = 1;
    }
  }
}

/** Undefined where there is no such file yet. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

if (import.meta.filename === process.argv[1]) main(join(import.meta.dirname, '..'), process.argv.includes('--check'));
