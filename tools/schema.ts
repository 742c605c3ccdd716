import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringifyDocument } from '@urql/core';
import {
  type DocumentNode,
  extendSchema,
  introspectionFromSchema,
  Kind,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { configurationJsonSchema } from '../src/cli/configuration/file-schema.ts';
import { internalSchema, publicSchema } from '../src/graphql/schema/schema.ts';
import { printSdl } from '../src/graphql/sdl/print.ts';
import { idOfDocument } from '../src/graphql/server/trusted-documents.ts';
import { openApiText } from '../src/reference/contracts.ts';
import { REST_DIRECTIVES } from '../src/rest/documents.ts';
import { PAGE } from '../src/sdk/read-history.ts';
import { FEED } from '../src/sdk/turn-feed.ts';
import { FOLLOW_PRESENCE, REPORT_TYPING } from '../src/web/hosted/presence-documents.ts';

/** A generated file. */
export interface ContractFile {
  readonly path: string;
  readonly text: string;
}

/** The current contracts of the code. `root` contains `package.json` and `schema/`. */
export async function contractFiles(root: string): Promise<ContractFile[]> {
  return [
    { path: 'schema/schema.graphql', text: printSdl(publicSchema) },
    { path: 'schema/introspection.d.ts', text: introspectionType() },
    { path: 'schema/openapi.json', text: openApiText(internalSchema, root) },
    { path: 'schema/configuration.json', text: `${JSON.stringify(configurationJsonSchema(), null, 2)}\n` },
    { path: 'schema/documents/sdk.json', text: manifestText([FEED, PAGE]) },
    { path: 'schema/documents/hosted.json', text: manifestText([FOLLOW_PRESENCE, REPORT_TYPING]) },
    { path: 'schema/documents/dashboard.json', text: manifestText(await dashboardDocuments(root)) },
  ];
}

/** The dashboard's operations, as its client sends them. */
async function dashboardDocuments(root: string): Promise<string[]> {
  const folder = join(root, 'src/web/dashboard');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('documents.ts'),
  );
  const modules = await Promise.all(paths.sort().map((path) => import(join(folder, path))));
  return modules.flatMap((documents: Record<string, DocumentNode>) =>
    Object.values(documents).flatMap((document) =>
      // Operations include their fragments.
      document.definitions[0]?.kind === Kind.OPERATION_DEFINITION ? [stringifyDocument(document)] : [],
    ),
  );
}

/** Trusted documents by ID, with the exact text that the client sends. */
function manifestText(documents: readonly string[]): string {
  // Sorted, so that the load order of modules does not matter.
  const byId = Object.fromEntries(documents.map((text) => [idOfDocument(text), text]).sort());
  return `${JSON.stringify(byId, null, 2)}\n`;
}

/**
 * The schema of REST documents, with their directives. It has no directives for clients: the service does not limit the
 * cost of its own documents.
 */
function internalText(): string {
  return `${printSchema(lexicographicSortSchema(extendSchema(internalSchema, REST_DIRECTIVES)))}\n`;
}

/** The public schema as a TypeScript type. gql.tada computes the types of documents from it. */
function introspectionType(): string {
  const introspection = introspectionFromSchema(lexicographicSortSchema(publicSchema), { descriptions: false });
  return `/** Computed from the code by npm run schema. */\nexport type introspection = ${JSON.stringify(introspection)};\n`;
}

/**
 * `npm run schema` writes the contracts, and the schema of REST documents for eslint and editors, which is not committed.
 * With `--internal`, it writes only the latter. With `--check`, it writes nothing, and fails if a contract differs from the
 * code.
 */
async function main(root: string, options: readonly string[]): Promise<void> {
  const contracts = options.includes('--internal') ? [] : await contractFiles(root);
  if (options.includes('--check')) return check(root, contracts);
  for (const { path, text } of [{ path: 'schema/internal.graphql', text: internalText() }, ...contracts]) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`Wrote ${path}`);
  }
}

function check(root: string, contracts: readonly ContractFile[]): void {
  for (const { path, text } of contracts) {
    if (readFileSync(join(root, path), 'utf8') === text) continue;
    console.error(`${path} differs from the code. Run npm run schema and review the changes.`);
    process.exitCode = 1;
  }
}

if (import.meta.filename === process.argv[1]) await main(join(import.meta.dirname, '..'), process.argv.slice(2));
