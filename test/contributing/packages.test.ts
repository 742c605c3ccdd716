import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';

it('a production install has no package of the pages, because they are built', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'src/web/package.json'), 'utf8'));
  expect(dependencies ?? {}).toEqual({});
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const name of ['react-dom', '@base-ui/react', 'vite']) expect(packages[`node_modules/${name}`].dev).toBe(true);
});
