import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringifyDocument } from '@urql/core';
import { type DocumentNode, introspectionFromSchema, Kind, lexicographicSortSchema } from 'graphql';
import { schema } from '../src/graphql/schema.ts';
import { idOfDocument } from '../src/graphql/trusted-documents.ts';
import { openApiText, schemaText } from '../src/reference/contracts.ts';
import { FEED } from '../src/sdk/feed.ts';
import { PAGE } from '../src/sdk/read-history.ts';

/** A file of `schema/` that the code determines. */
export interface ContractFile {
  readonly path: string;
  readonly text: string;
}

/** The contracts as the code has them now. `root` holds `package.json` and `schema/`. */
export async function contractFiles(root: string): Promise<ContractFile[]> {
  return [
    { path: 'schema/schema.graphql', text: schemaText(schema) },
    { path: 'schema/introspection.d.ts', text: introspectionType() },
    { path: 'schema/openapi.json', text: openApiText(schema, root) },
    { path: 'schema/documents/sdk.json', text: manifestText([FEED, PAGE]) },
    { path: 'schema/documents/dashboard.json', text: manifestText(await dashboardDocuments(root)) },
  ];
}

/** What the dashboard asks, as its client sends it. */
async function dashboardDocuments(root: string): Promise<string[]> {
  const folder = join(root, 'src/web/dashboard');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('documents.ts'),
  );
  const modules = await Promise.all(paths.sort().map((path) => import(join(folder, path))));
  return modules.flatMap((documents: Record<string, DocumentNode>) =>
    Object.values(documents).flatMap((document) =>
      // Fragments go with the operations that use them.
      document.definitions[0]?.kind === Kind.OPERATION_DEFINITION ? [stringifyDocument(document)] : [],
    ),
  );
}

/** Trusted documents by id: their very text, as the SDK sends it. */
function manifestText(documents: readonly string[]): string {
  // In an order that says nothing of how modules were loaded.
  const byId = Object.fromEntries(documents.map((text) => [idOfDocument(text), text]).sort());
  return `${JSON.stringify(byId, null, 2)}\n`;
}

/** The schema as a type, which gql.tada reads the types of documents from: JSON is TypeScript's own notation too. */
function introspectionType(): string {
  const introspection = introspectionFromSchema(lexicographicSortSchema(schema), { descriptions: false });
  return `/** Computed from the code by npm run schema. */\nexport type introspection = ${JSON.stringify(introspection)};\n`;
}

/** `npm run schema`: writes them. With `--check`: names those that differ, and fails. */
async function main(root: string, checks: boolean): Promise<void> {
  for (const { path, text } of await contractFiles(root)) {
    const file = join(root, path);
    if (!checks) {
      mkdirSync(dirname(file), { recursive: true });
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

if (import.meta.filename === process.argv[1])
  await main(join(import.meta.dirname, '..'), process.argv.includes('--check'));
