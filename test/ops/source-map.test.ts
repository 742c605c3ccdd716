import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';

const bundle = readFileSync(join(ROOT, 'dist/service.js'), 'utf8').split('\n');
const map = new SourceMap(JSON.parse(readFileSync(join(ROOT, 'dist/service.js.map'), 'utf8')));

/** The source of the first line of the bundle with this text. */
function sourceOf(text: string) {
  const line = bundle.findIndex((one) => one.includes(text));
  expect(line).toBeGreaterThan(0);
  return map.findEntry(line, 0) as { originalSource?: string; originalLine?: number };
}

describe('The source map of the bundle', () => {
  it.each([
    ['src/service.ts', 'async function openService('],
    ['src/rest/router.ts', 'function loadRoutes('],
  ])('maps lines of %s', (path, text) => {
    const { originalSource, originalLine = -1 } = sourceOf(text);
    expect(originalSource).toBe(`../${path}`);
    expect(readFileSync(join(ROOT, path), 'utf8').split('\n')[originalLine]).toContain(text);
  });

  it.each(['graphql', 'express'])('maps no line of the package %s', (name) => {
    expect(sourceOf(`"node_modules/${name}/index.js"(`).originalSource).toBeUndefined();
  });
});
