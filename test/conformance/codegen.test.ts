import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as types from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';

const MANIFESTS = join(ROOT, 'schema/documents');

/** Types of the scalars, as an application declares them. */
const SCALARS = { DateTime: 'string', JSON: 'unknown', JSONObject: 'Record<string, unknown>', UUID: 'string' };

const DOCUMENT = `
  query Conversations($first: Int!) {
    conversations(first: $first) { nodes { id name status updatedAt run { status } } pageInfo { endCursor } totalCount }
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
      config: { scalars: SCALARS, strictScalars: false, enumsAsTypes: true, useTypeImports: true },
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
