import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UNBUNDLED } from '../../tools/bundle.mjs';
import { ROOT } from '../support/database.ts';

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

it('`dependencies` are the packages that the service loads from node_modules, all others are `devDependencies`', () => {
  expect(Object.keys(read('package.json').dependencies)).toEqual(UNBUNDLED);
  for (const path of ['src/web/package.json', 'src/sdk/package.json'])
    expect(read(path).dependencies ?? {}).toEqual({});
});

it('a production install has no bundled package, of the service or of the pages', () => {
  const { packages } = read('package-lock.json');
  for (const name of ['pg', 'react-dom', 'vite', 'zod']) expect(packages[`node_modules/${name}`].dev).toBe(true);
});
