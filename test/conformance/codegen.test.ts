import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as types from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, isScalarType, isSpecifiedScalarType, parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import YAML from 'yaml';
import { ROOT } from '../support/database.ts';
import { DECLARED } from '../support/declared.ts';

const MANIFESTS = join(ROOT, 'schema/documents');

/** The configuration of the guide. */
const CONFIG = recipeOf(readFileSync(join(ROOT, 'docs/graphql.md'), 'utf8'));

function recipeOf(guide: string): {
  readonly strictScalars: true;
  readonly scalars: Readonly<Record<string, unknown>>;
} {
  const [, text = ''] = /^```yaml[^\n]*\n(schema: .*?)^```/ms.exec(guide) ?? [];
  return YAML.parse(text).generates['src/generated.ts'].config;
}

const DOCUMENT = `
  query Conversations($first: Int!) {
    conversations(first: $first) { nodes { id name status updatedAt latestRun { status } } pageInfo { endCursor } totalCount }
  }
`;

/** The application's code: the first function compiles, the second has a wrong field. */
const RIGHT = `import type { ConversationsQuery } from './generated.ts';
export const names = ({ conversations }: ConversationsQuery): string[] => conversations.nodes.map(({ name }) => name);`;
const WRONG = RIGHT.replaceAll('name)', 'title)').replace('{ name }', '{ title }');

describe('graphql-codegen', () => {
  let folder: string;
  let documents: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-codegen-'));
    const files = await readdir(MANIFESTS);
    const manifests = await Promise.all(files.map((name) => readFile(join(MANIFESTS, name), 'utf8')));
    documents = manifests.flatMap((text) => Object.values(JSON.parse(text) as Record<string, string>));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function generate(plugin: 'typescript' | 'operations', sources: readonly string[], filename: string) {
    const schema = parse(await readFile(join(ROOT, 'schema/schema.graphql'), 'utf8'));
    const text = await codegen({
      filename,
      schema,
      schemaAst: buildSchema(await readFile(join(ROOT, 'schema/schema.graphql'), 'utf8')),
      documents: sources.map((source, index) => ({ location: `${index}.graphql`, document: parse(source) })),
      config: { ...CONFIG, enumsAsTypes: true, useTypeImports: true },
      plugins: [{ [plugin]: {} }],
      pluginMap: { typescript: types, operations },
      skipDocumentsValidation: { skipDuplicateValidation: true },
    });
    await writeFile(join(folder, filename), text);
    return text;
  }

  const compile = (file: string) =>
    promisify(execFile)(
      join(ROOT, 'node_modules/.bin/tsc'),
      [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--allowImportingTsExtensions',
        '--types',
        '',
        file,
      ],
      { cwd: folder },
    ).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );

  it('has a type for each scalar of the schema in the recipe of the guide', () => {
    const custom = Object.values(DECLARED.getTypeMap()).filter(
      (type) => isScalarType(type) && !isSpecifiedScalarType(type),
    );
    expect(CONFIG.strictScalars).toBe(true);
    expect(Object.keys(CONFIG.scalars).sort()).toEqual(['ID', ...custom.map(({ name }) => name)].sort());
  });

  it('generates types of an operation that an application compiles with', async () => {
    expect(await generate('operations', [DOCUMENT], 'generated.ts')).toContain('export type ConversationsQuery');
    await Promise.all([writeFile(join(folder, 'right.ts'), RIGHT), writeFile(join(folder, 'wrong.ts'), WRONG)]);
    expect(await Promise.all([compile('right.ts'), compile('wrong.ts')])).toEqual([
      '',
      expect.stringContaining('title'),
    ]);
  });

  it('generates types of the whole schema', async () => {
    expect(await generate('typescript', [], 'schema.ts')).toContain('export type Conversation');
    expect(await compile('schema.ts')).toBe('');
  });

  it("generates types of the SDK's and the dashboard's operations", async () => {
    await generate('operations', [withoutRepetitions(documents)], 'all.ts');
    expect(await compile('all.ts')).toBe('');
  });
});

/** The named operations with their fragments. Each document repeats the fragments that it uses. */
function withoutRepetitions(texts: readonly string[]): string {
  const definitions = texts.flatMap((text) => parse(text).definitions);
  const byName = new Map(
    definitions.flatMap((one) => ('name' in one && one.name ? [[`${one.kind} ${one.name.value}`, print(one)]] : [])),
  );
  return [...byName.values()].join('\n');
}
