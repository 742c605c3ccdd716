import { describe, expect, it } from 'vitest';
import { CACHES } from '../../src/contract/cache-limits.ts';
import { COLLECTIONS } from '../../tools/collections.ts';
import { filesOf } from '../support/imports.ts';

const KIND = '(?:Map|Set|WeakMap|WeakSet|LRUCache|RateLimiterMemory|BoundedCache)';

/** A constant of a module, or a field of a class: the formatter indents fields by two spaces. */
const DECLARATION = new RegExp(
  `^(?:(?:export )?(?:const|let)|  (?!const |let |return |for )(?:(?:private|protected|static|readonly|declare) )*) ?(#?\\w+)(?:: (?:[^=;\\n]|=>)+?)? =\\s+(?:Array\\.from\\(.*?=> )?new (${KIND})\\b(.*)$`,
  'gm',
);

const CHANGES = (name: string) => new RegExp(`(?<![\\w#])${name}\\??\\.(?:set|add)\\(`);

interface Collection {
  readonly path: string;
  readonly name: string;
  readonly kind: string;
  readonly isFixed: boolean;
}

function collectionsOf({ path, text }: { readonly path: string; readonly text: string }): Collection[] {
  return [...text.matchAll(DECLARATION)].map(([, name = '', kind = '', rest = '']) => {
    const isFilled = !/^(?:<.*?>)?\(\)/.test(rest);
    return { path, name, kind, isFixed: isFilled && !CHANGES(name).test(text) };
  });
}

/** The code that runs in the service. */
const sources = filesOf('src').filter(({ path }) => !/^src\/(web|sdk|cli)\//.test(path));
const collections = sources.flatMap(collectionsOf);

describe('the memory of a process', () => {
  it('has a bound for each collection of a module or class', () => {
    const unknown = collections.filter(
      ({ path, name, kind, isFixed }) => !isFixed && kind !== 'BoundedCache' && !COLLECTIONS[path]?.[name],
    );
    expect(unknown.map(({ path, name }) => `${path}: ${name} has no bound in tools/collections.ts`)).toEqual([]);
  });

  it('has no row for a collection that does not exist', () => {
    const known = new Set(collections.map(({ path, name }) => `${path} ${name}`));
    const isInFunction = (path: string, name: string) =>
      sources.some(
        (source) => source.path === path && new RegExp(`const ${name} = .*new ${KIND}\\b`).test(source.text),
      );
    const missing = Object.entries(COLLECTIONS).flatMap(([path, rows]) =>
      Object.keys(rows).filter((name) => !known.has(`${path} ${name}`) && !isInFunction(path, name)),
    );
    expect(missing).toEqual([]);
  });

  it('has each cache of the table once, and no other', () => {
    const used = sources.flatMap(({ text }) =>
      [...text.matchAll(/new BoundedCache<[^\n]*>\('(\w+)'/g)].map(([, name]) => name),
    );
    expect(used.toSorted()).toEqual(Object.keys(CACHES).toSorted());
  });

  it('has no cache of a library without bounds', () => {
    const others = sources.filter(
      ({ path, text }) => path !== 'src/cache/bounded-cache.ts' && /lru-cache|createLRUCache/.test(text),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
    const yoga = sources.filter(({ text }) => text.includes('createYoga<'));
    for (const { text } of yoga) expect(text).toMatch(/parserAndValidationCache: caches,/);
  });

  it('finds collections of every form', () => {
    const text = [
      'const one = new Map<string, number>();',
      'export const two: ReadonlyMap<string, number> = new Map([["a", 1]]);',
      'const three =\n  new WeakMap<object, string>();',
      'class A {\n  readonly #four = new Map<string, Map<string, B>>();\n  #five: Set<string> = new Set();\n  static six = new LRUCache({ max: 1 });',
      '  readonly seven = new Set(LIST);\n}',
      'const eight = Array.from({ length: 3 }, () => new Map<string, B>());',
      'function f() {\n  const nine = new Map();\n  return new Set();\n}',
      'const ten = new Set(LIST);\nten.add("b");',
    ].join('\n');
    const found = collectionsOf({ path: 'a.ts', text });
    expect(found.map(({ name, isFixed }) => `${name}${isFixed ? ' fixed' : ''}`)).toEqual([
      'one',
      'two fixed',
      'three',
      '#four',
      '#five',
      'six fixed',
      'seven fixed',
      'eight',
      'ten',
    ]);
  });
});
