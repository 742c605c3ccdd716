import { dirname, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TABLE } from './support/import-table.ts';
import { cyclesOf, filesOf, folderCyclesOf, type Import, importsOf, type SourceFile } from './support/imports.ts';

function covers(pattern: string, file: string): boolean {
  if (!pattern.includes('*')) return pattern === file || (pattern.endsWith('/') && file.startsWith(pattern));
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(file);
}

function breachesOf(imports: readonly Import[]): string[] {
  return imports.flatMap(({ file, target, isPackage, typeOnly }) => {
    const rows = TABLE.filter(({ from }) => covers(from, file));
    const allowed = isPackage
      ? rows.every(({ never }) => !never?.test(target))
      : rows.some((row) =>
          [...row.may, ...(typeOnly ? (row.mayAsTypes ?? []) : [])].some((one) => covers(one, target)),
        );
    const reasons = rows.map(({ because }) => because).join('; ') || 'the folder is not in the table';
    return allowed ? [] : [`src/${file} imports ${typeOnly ? 'types of ' : ''}${target}, but ${reasons}`];
  });
}

/** The matching lines with their locations. */
function matches(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}

const sources = filesOf('src');
// Examples belong to the users of the SDK.
const imports = sources
  .filter(({ path }) => !path.startsWith('src/sdk/examples/'))
  .flatMap(({ path, text }) => importsOf(relative('src', path), text));

const [toolImports, testImports] = ['tools', 'test'].map((folder) =>
  filesOf(folder)
    .flatMap(({ path, text }) => importsOf(path, text))
    .filter(({ target }) => target.startsWith(`${folder}/`)),
) as [Import[], Import[]];

describe('the source', () => {
  it('imports only what the table allows', () => expect(breachesOf(imports)).toEqual([]));

  it('has no import cycle, type imports included, apart from those of tests', () => {
    expect(cyclesOf(imports, { types: true })).toEqual([]);
    expect(cyclesOf(toolImports, { types: true })).toEqual([]);
    expect(cyclesOf(testImports)).toEqual([]);
  });

  it('has an order of the folders in each folder', () => {
    expect(folderCyclesOf(imports)).toEqual([]);
    expect(folderCyclesOf(toolImports)).toEqual([]);
    expect(folderCyclesOf(testImports)).toEqual([]);
  });

  it('has no file over 300 lines, tests included', () => {
    const long = filesOf('src', 'test').filter(({ text }) => text.trimEnd().split('\n').length > 300);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('has no folder with over 40 files', () => {
    const counts = new Map<string, number>();
    for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
  });

  it('has no default export, except for the configuration that Vite loads', () => {
    const files = sources.filter(({ path }) => !/^src\/web\/vite\..*config\.ts$/.test(path));
    expect(matches(files, /^export default\b|^export \{.*\bas default\b/)).toEqual([]);
  });

  it('reads transaction IDs only as positions of the log, which continue on another server', () => {
    expect(matches(sources, /pg_current_(xact_id|snapshot)|pg_snapshot_xmin/)).toEqual([]);
  });

  it('begins transactions only with inTransaction: the default limits of Prisma fail requests under load', () => {
    const others = sources.filter(({ path }) => !/^src\/db\/(transaction|scoped-client)\.ts$/.test(path));
    expect(matches(others, /\$transaction\b/)).toEqual([]);
  });

  it('suppresses no type error, tests included', () => {
    expect(matches(filesOf('src', 'test'), /@ts-(ignore|nocheck)|\bas\s+any\s*([;,.)\]}[>=]|$)/)).toEqual([]);
  });
});

describe('the check itself', () => {
  it('detects every form of import', () => {
    const source = [
      "import './a.ts';",
      "import type { B } from '../b.ts';",
      'import {\n  c,\n  type D,\n} from "../c/d.ts";',
      "export * as e from './e.ts';",
      "export type { F } from './f.ts';",
      "const g = await import('./g.ts');",
      "import type H from 'h';",
      "// import './comment.ts';",
      "export const text = 'from';",
    ];
    const detected = importsOf('x/y.ts', source.join('\n')).map(({ target, typeOnly }) =>
      typeOnly ? `type ${target}` : target,
    );
    expect(detected).toEqual(['x/a.ts', 'type b.ts', 'c/d.ts', 'x/e.ts', 'type x/f.ts', 'type h', 'x/g.ts']);
  });

  it.each([
    ["import { z } from 'zod';", 'contract/ids.ts'],
    ["import { accept } from '../agent/accept/accept.ts';", 'domain/conversations/reads.ts'],
    ["import { RunRegistry } from './agent/run/run-registry.ts';", 'domain/context.ts'],
    ["import express from 'express';", 'domain/agent/turns.ts'],
    ["import type { Turn } from '../domain/agent/turn.ts';", 'model/models.ts'],
    ["import { Prisma } from '../../../db/generated/client.ts';", 'graphql/schema/agent/turns.ts'],
    ["import { openDatabase } from '../../db/database.ts';", 'graphql/schema/errors.ts'],
    ["import type { Turn } from '../domain/agent/turn.ts';", 'rest/execute.ts'],
    ["import type { ModelPort } from '../domain/agent/model-port.ts';", 'outbound/guard.ts'],
    ["import { readFile } from 'node:fs/promises';", 'sdk/http.ts'],
    ["import { findConversation } from '../domain/conversations/reads.ts';", 'sdk/agent.ts'],
    ["import { useState } from 'react';", 'sdk/agent.ts'],
    ["import { Agent } from '../../sdk/agent.ts';", 'web/agent/page.tsx'],
    ["import { readFile } from 'node:fs/promises';", 'web/agent/page.tsx'],
    ["import '../contract/ids.ts';", 'unheard-of/file.ts'],
  ])('rejects %s in %s', (source, file) => expect(breachesOf(importsOf(file, source))).toHaveLength(1));

  it('finds a cycle, and counts type imports only on request', () => {
    const [forth, back] = [importsOf('a.ts', "import './b.ts';"), importsOf('b.ts', "import './a.ts';")];
    const typeBack = importsOf('b.ts', "import type { A } from './a.ts';");
    expect(cyclesOf([...forth, ...back])).toEqual(['a.ts → b.ts → a.ts']);
    expect(cyclesOf([...forth, ...typeBack])).toEqual([]);
    expect(cyclesOf([...forth, ...typeBack], { types: true })).toEqual(['a.ts → b.ts → a.ts']);
  });

  it.each([
    [
      'two folders',
      'a/b/c.ts',
      "import '../d/e.ts';",
      'a/d/f/g.ts',
      "import type { H } from '../../b/h.ts';",
      'a/b → a/d → a/b',
    ],
    ['a folder and a file', 'a/b/c.ts', "import '../d.ts';", 'a/d.ts', "import './b/e.ts';", 'a/b → a/d.ts → a/b'],
    [
      'a folder and the types of a file',
      'a/b/c.ts',
      "import '../d.ts';",
      'a/d.ts',
      "import type { E } from './b/e.ts';",
    ],
    ['a folder and its parent', 'a/b/c.ts', "import '../../d/e.ts';", 'a/d.ts', "import './b/e.ts';"],
  ])('finds a circle of %s', (_, one, source, other, back, ...circle) => {
    expect(folderCyclesOf([...importsOf(one, source), ...importsOf(other, back)])).toEqual(circle);
  });
});
