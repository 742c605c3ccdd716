import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';

// Not imported from database.ts: this check must run without the service's packages.
const ROOT = join(import.meta.dirname, '../..');

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export function filesOf(...folders: string[]): SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mts|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(db\/generated|src\/gql|dist|node_modules)\//.test(path))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }));
}

export interface Import {
  /** A path within `src`. */
  readonly file: string;
  /** A path within `src`, or a package name. */
  readonly target: string;
  readonly isPackage: boolean;
  /** Erased at run time. `import { type X }` is not: it still loads the file. */
  readonly typeOnly: boolean;
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{}\s,]+?\sfrom\s*)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /(?<!typeof )\bimport\(\s*['"]([^'"]+)['"]/g;

export function importsOf(file: string, source: string): Import[] {
  const code = withoutComments(source);
  const importOf = (specifier = '', typeOnly: boolean): Import => {
    const isPackage = !specifier.startsWith('.');
    const target = isPackage ? specifier : posix.join(posix.dirname(file), specifier);
    return { file, target, isPackage, typeOnly };
  };
  return [
    ...[...code.matchAll(STATEMENT)].map(([, type, specifier]) => importOf(specifier, type !== undefined)),
    ...[...code.matchAll(DYNAMIC)].map(([, specifier]) => importOf(specifier, false)),
  ];
}

/** Removes whole comment lines. This repository has no other comments before imports. */
function withoutComments(source: string): string {
  return source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}

/** Every import cycle, each listed once. `types` also counts type imports. */
export function cyclesOf(imports: readonly Import[], { types = false } = {}): string[] {
  const edges = new Map<string, string[]>();
  for (const { file, target, isPackage, typeOnly } of imports) {
    if (!isPackage && (types || !typeOnly)) edges.set(file, [...(edges.get(file) ?? []), target]);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) follow(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) follow(file, []);
  return cycles;
}

/**
 * Every circle of folders and files that share a parent, type imports included. Type imports of such a file do not
 * count: `domain/context.ts` names types of every feature.
 */
export function folderCyclesOf(imports: readonly Import[]): string[] {
  const between = imports.flatMap((one) => {
    const [file, target] = siblingsOf(one.file, one.target);
    return (file === one.file && one.typeOnly) || file === target ? [] : [{ ...one, file, target }];
  });
  return [...new Set(cyclesOf(between, { types: true }))];
}

/** The paths up to the first part that differs. */
function siblingsOf(file: string, target: string): [string, string] {
  const [from, to] = [file.split('/'), target.split('/')];
  const length = from.findIndex((part, index) => part !== to[index]) + 1;
  return [from.slice(0, length).join('/'), to.slice(0, length).join('/')];
}
