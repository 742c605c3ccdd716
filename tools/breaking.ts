import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { breakingOpenApiChanges } from '../src/rest/openapi-changes.ts';

/** The result of comparing the contracts. */
export interface Verdict {
  /** The commit of the comparison, or the reason for not comparing. */
  readonly compared: string;
  /** Breaking changes without a new line in `schema/CHANGES.md`. */
  readonly unlisted: readonly string[];
}

const CHANGES = 'schema/CHANGES.md';

/**
 * Compares the contracts in the working tree with the commit where the branch left main. On main, compares them with the
 * previous commit.
 */
export async function judgeContracts(root: string): Promise<Verdict> {
  const base = baseOf(root);
  if (!base) return { compared: 'not compared, because there is no earlier commit', unlisted: [] };
  const changes = [
    ...(await graphqlChanges(base.file('schema/schema.graphql'), read(root, 'schema/schema.graphql'))),
    ...openApiChanges(base.file('schema/openapi.json'), read(root, 'schema/openapi.json')),
  ];
  const allowed = newLines(base.file(CHANGES) ?? '', read(root, CHANGES));
  return { compared: `compared with ${base.name}`, unlisted: changes.filter((change) => !allowed.has(change)) };
}

interface Base {
  readonly name: string;
  /** The text of a file in the commit. Undefined if the file does not exist. */
  file(path: string): string | undefined;
}

function baseOf(root: string): Base | undefined {
  const git = (...words: string[]) => runGit(root, words);
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD');
  if (!head) return undefined;
  const fork = ['main', 'origin/main'].map((branch) => git('merge-base', 'HEAD', branch)).find((commit) => commit);
  const parent = git('rev-parse', '--verify', '--quiet', 'HEAD^');
  // A shallow clone has no parent commit: only uncommitted changes can be compared.
  const commit = fork && fork !== head ? fork : (parent ?? head);
  const name = { [head]: 'HEAD', [parent ?? '']: 'the commit before HEAD' }[commit] ?? 'main';
  return { name: `${name} (${commit.slice(0, 7)})`, file: (path) => git('show', `${commit}:./${path}`) };
}

/** The output of git. Undefined if git fails, for example outside a repository. */
function runGit(root: string, words: readonly string[]): string | undefined {
  try {
    const text = execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return words[0] === 'show' ? text : text.trim();
  } catch {
    return undefined;
  }
}

async function graphqlChanges(before: string | undefined, after: string): Promise<string[]> {
  if (before === undefined || before === after) return [];
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

function openApiChanges(before: string | undefined, after: string): string[] {
  if (before === undefined || before === after) return [];
  return breakingOpenApiChanges(JSON.parse(before), JSON.parse(after));
}

/** Lines that are new in the file. A line allows only the change in its own commit. */
function newLines(before: string, after: string): Set<string> {
  const changesOf = (text: string) => text.split('\n').flatMap((line) => /^- `(.+)`/.exec(line)?.[1] ?? []);
  const old = changesOf(before);
  return new Set(
    changesOf(after).filter((change) => {
      const index = old.indexOf(change);
      if (index >= 0) old.splice(index, 1);
      return index < 0;
    }),
  );
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** `npm run check:contracts`. */
async function main(root: string): Promise<void> {
  const { compared, unlisted } = await judgeContracts(root);
  console.log(`Contracts: ${compared}.`);
  if (unlisted.length === 0) return;
  console.error(`These changes break clients. Undo them, or copy each line to ${CHANGES} and add the reason:`);
  for (const change of unlisted) console.error(`- \`${change}\``);
  process.exitCode = 1;
}

if (import.meta.filename === process.argv[1]) await main(join(import.meta.dirname, '..'));
