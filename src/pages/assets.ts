import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { RequestHandler } from 'express';
import { type BuiltFile, file, IMMUTABLE } from './file.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What `tools/build-pages.mjs` writes next to a file. */
const COMPRESSED = /\.(br|gz)$/;

/** An unknown name leads to a look into the folder at most this often. */
const LOOK_INTERVAL_MS = 1_000;

/**
 * The files of a folder, by name. During a rolling restart, the page of a new process asks an old process for files that
 * the build added to the folder, so an unknown name leads to another look. A name is never part of a path.
 */
export class AssetFiles {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #files = new Map<string, RequestHandler>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(folder: string, now: () => number = () => performance.now()) {
    this.#folder = folder;
    this.#now = now;
    this.#look();
  }

  names(): readonly string[] {
    return [...this.#files.keys()];
  }

  find(name: string): RequestHandler | undefined {
    if (!this.#files.has(name) && this.#now() - this.#lookedAt >= LOOK_INTERVAL_MS) this.#look();
    return this.#files.get(name);
  }

  #look(): void {
    this.#lookedAt = this.#now();
    for (const name of readdirSync(this.#folder)) {
      if (this.#files.has(name) || COMPRESSED.test(name)) continue;
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      this.#files.set(
        name,
        file(type, () => readBuilt(join(this.#folder, name)), IMMUTABLE),
      );
    }
  }
}

function readBuilt(path: string): BuiltFile {
  const readIfBuilt = (end: string) => (existsSync(path + end) ? readFileSync(path + end) : undefined);
  const [br, gzip] = [readIfBuilt('.br'), readIfBuilt('.gz')];
  return { plain: readFileSync(path), ...(br && { br }), ...(gzip && { gzip }) };
}
