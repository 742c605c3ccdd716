import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cyclesOf, filesOf, type Import, importsOf, type SourceFile } from './support/imports.ts';

/** What files may import. A file has what every row gives whose `from` is the file or a folder above it. */
interface Row {
  readonly from: string;
  /** Folders and files of `src`; `*` stands for a part of a name. */
  readonly may: readonly string[];
  /** The same, for `import type` alone. */
  readonly mayAsTypes?: readonly string[];
  /** Packages that are not for these files. */
  readonly never?: RegExp;
  readonly because: string;
}

/** A feature may import those before it. */
const FEATURES = [
  'audit',
  'events',
  'access',
  'workflows',
  'usage',
  'resources',
  'integrations',
  'webhooks',
  'triggers',
  'actions',
  'conversations',
  'exports',
  'retention',
  'agent',
];

const TRANSPORTS = /^(express|graphql|graphql-.*|@graphql-.*|@pothos\/.*|react|react-dom|node:http)$/;

const SERVER = [
  'contract/',
  'db/',
  'domain/',
  'outbound/',
  'model/',
  'graphql/',
  'rest/',
  'pages/',
  'reference/',
  'ops/',
  'app.ts',
  'service.ts',
  'services.ts',
  'stop-reason.ts',
  'config.ts',
];

const TABLE: readonly Row[] = [
  { from: 'contract/', may: ['contract/'], never: /./, because: 'it is in the browser bundle' },
  { from: 'db/', may: ['contract/', 'db/'], because: 'storage knows no feature' },
  {
    from: 'domain/',
    may: [
      'contract/',
      'db/',
      'domain/address.ts',
      'domain/address-port.ts',
      'domain/context.ts',
      'domain/headers-input.ts',
      'domain/input.ts',
      'domain/json-schema.ts',
      'domain/message-content.ts',
      'domain/page.ts',
      'domain/period.ts',
      'domain/secret-box.ts',
      'domain/type-id.ts',
      'domain/values-by-name.ts',
    ],
    never: TRANSPORTS,
    because: 'the domain knows no door that it is asked through',
  },
  ...FEATURES.map((feature, index) => ({
    from: `domain/${feature}/`,
    may: FEATURES.slice(0, index + 1).map((earlier) => `domain/${earlier}/`),
    because: `features have an order: ${FEATURES.join(', ')}`,
  })),
  {
    from: 'domain/context.ts',
    may: [],
    mayAsTypes: [
      'domain/access/',
      'domain/actions/',
      'domain/address-port.ts',
      'domain/agent/',
      'domain/secret-box.ts',
    ],
    because: 'it names what every request shares',
  },
  { from: 'domain/first-start.ts', may: ['domain/'], because: 'it fills the tables of several features' },
  { from: 'outbound/', may: ['contract/', 'outbound/'], because: 'it goes to an address and knows nothing of why' },
  {
    from: 'model/',
    may: ['contract/', 'model/', 'outbound/', 'domain/actions/*-port.ts', 'domain/agent/*-port.ts'],
    because: 'it fits the ports of the domain',
  },
  {
    from: 'graphql/',
    may: ['contract/', 'domain/', 'graphql/'],
    mayAsTypes: ['db/generated/'],
    because: 'resolvers ask the domain; types of rows cost nothing at run time',
  },
  { from: 'graphql/builder.ts', may: ['db/'], because: 'Pothos reads the data model' },
  { from: 'graphql/context.ts', may: ['db/'], because: 'it binds the database to the environment of the caller' },
  { from: 'graphql/errors.ts', may: ['db/unavailable.ts'], because: 'a lost database is told as 503, not as a fault' },
  {
    from: 'rest/',
    may: ['contract/', 'graphql/', 'rest/'],
    mayAsTypes: ['domain/context.ts'],
    because: 'what REST needs, GraphQL offers; the services are only handed through',
  },
  {
    from: 'pages/',
    may: ['contract/', 'domain/', 'graphql/', 'pages/', 'rest/router.ts'],
    because: 'it serves files, and lets visitors in; what the files do, they ask of the doors',
  },
  {
    from: 'reference/',
    may: ['graphql/', 'pages/file.ts', 'reference/', 'rest/'],
    because: 'it shows what the doors offer, and is no door itself',
  },
  {
    from: 'ops/',
    may: ['contract/', 'db/', 'ops/'],
    mayAsTypes: ['domain/context.ts'],
    because: 'it watches the service and takes no part in it',
  },
  ...['main.ts', 'app.ts', 'service.ts', 'services.ts', 'stop-reason.ts', 'config.ts'].map((from) => ({
    from,
    may: SERVER,
    because: 'it puts the service together; pages are files on disk',
  })),
  {
    from: 'sdk/',
    may: ['contract/', 'sdk/'],
    never: /^(?!(graphql-sse|react)$)/,
    because: 'it runs in browsers, and is installed without the service',
  },
  { from: 'sdk/*.ts', may: [], never: /^react/, because: 'React is for sdk/react, over controllers that need none' },
  {
    from: 'web/',
    may: ['contract/', 'sdk/index.ts', 'sdk/react/index.ts', 'web/'],
    mayAsTypes: ['../schema/introspection.d.ts'],
    never: /^(node:|@?prisma|pg$|express$|graphql-yoga|@pothos\/)/,
    because: 'pages know the service as any client does: by the SDK and by GraphQL',
  },
  ...['cli.ts', 'cli/'].map((from) => ({
    from,
    may: ['cli/', 'contract/', 'db/', 'domain/', 'ops/log.ts', 'services.ts', 'stop-reason.ts', 'config.ts'],
    never: TRANSPORTS,
    because: 'the operator asks the domain, and no door',
  })),
];

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

/** The lines that match, with their places. */
function matches(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}

const sources = filesOf('src');
// Examples are of whoever installs the SDK.
const imports = sources
  .filter(({ path }) => !path.startsWith('src/sdk/examples/'))
  .flatMap(({ path, text }) => importsOf(relative('src', path), text));

describe('the source', () => {
  it('imports only what the table allows', () => expect(breachesOf(imports)).toEqual([]));

  it('has no cycle among its files at run time', () => expect(cyclesOf(imports)).toEqual([]));

  it('has no file over 300 lines, its tests included', () => {
    const long = filesOf('src', 'test').filter(({ text }) => text.trimEnd().split('\n').length > 300);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('has no default export', () => {
    expect(matches(sources, /^export default\b|^export \{.*\bas default\b/)).toEqual([]);
  });

  it('silences no type error, its tests included', () => {
    expect(matches(filesOf('src', 'test'), /@ts-(ignore|nocheck)|\bas\s+any\s*([;,.)\]}[>=]|$)/)).toEqual([]);
  });
});

describe('the check itself', () => {
  it('sees every form of import', () => {
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
    const seen = importsOf('x/y.ts', source.join('\n')).map(({ target, typeOnly }) =>
      typeOnly ? `type ${target}` : target,
    );
    expect(seen).toEqual(['x/a.ts', 'type b.ts', 'c/d.ts', 'x/e.ts', 'type x/f.ts', 'type h', 'x/g.ts']);
  });

  it.each([
    ["import { z } from 'zod';", 'contract/ids.ts'],
    ["import { accept } from '../agent/accept.ts';", 'domain/conversations/reads.ts'],
    ["import { RunRegistry } from './agent/run-registry.ts';", 'domain/context.ts'],
    ["import express from 'express';", 'domain/agent/turns.ts'],
    ["import type { Turn } from '../domain/agent/turn.ts';", 'model/models.ts'],
    ["import { Prisma } from '../db/generated/client.ts';", 'graphql/turns.ts'],
    ["import { openDatabase } from '../db/database.ts';", 'graphql/errors.ts'],
    ["import type { Turn } from '../domain/agent/turn.ts';", 'rest/execute.ts'],
    ["import type { ModelPort } from '../domain/agent/model-port.ts';", 'outbound/guard.ts'],
    ["import { readFile } from 'node:fs/promises';", 'sdk/http.ts'],
    ["import { findConversation } from '../domain/conversations/reads.ts';", 'sdk/agent.ts'],
    ["import { useState } from 'react';", 'sdk/agent.ts'],
    ["import { Agent } from '../../sdk/agent.ts';", 'web/agent/page.tsx'],
    ["import { readFile } from 'node:fs/promises';", 'web/agent/page.tsx'],
    ["import '../contract/ids.ts';", 'unheard-of/file.ts'],
  ])('refuses %s in %s', (source, file) => expect(breachesOf(importsOf(file, source))).toHaveLength(1));

  it('finds a cycle, and none where a type closes it', () => {
    const [there, back] = [importsOf('a.ts', "import './b.ts';"), importsOf('b.ts', "import './a.ts';")];
    expect(cyclesOf([...there, ...back])).toEqual(['a.ts → b.ts → a.ts']);
    expect(cyclesOf([...there, ...importsOf('b.ts', "import type { A } from './a.ts';")])).toEqual([]);
  });
});
