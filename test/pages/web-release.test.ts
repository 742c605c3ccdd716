import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AssetFiles } from '../../src/pages/assets.ts';
import { publishPages } from '../../tools/web-release.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-release-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A build with these assets. The text of each is its name. */
function build(...assets: string[]): string {
  const built = join(folder, `build-${assets.join()}`);
  mkdirSync(join(built, 'assets'), { recursive: true });
  for (const name of assets) writeFileSync(join(built, 'assets', name), name);
  writeFileSync(join(built, 'dashboard.html'), assets.join());
  return built;
}

const served = () => join(folder, 'served');
const assetsOf = (directory: string) => readdirSync(join(directory, 'assets')).sort();

describe('the assets of a release', () => {
  it('stay for one further release', () => {
    publishPages(build('a-1.js', 'b-1.js'), served());
    publishPages(build('a-2.js', 'b-1.js'), served());
    expect(assetsOf(served())).toEqual(['a-1.js', 'a-2.js', 'b-1.js']);
    publishPages(build('a-3.js', 'b-3.js'), served());
    expect(assetsOf(served())).toEqual(['a-2.js', 'a-3.js', 'b-1.js', 'b-3.js']);
  });

  it('stay if the same release is built again', () => {
    publishPages(build('a-1.js'), served());
    publishPages(build('a-2.js'), served());
    publishPages(build('a-2.js'), served());
    expect(assetsOf(served())).toEqual(['a-1.js', 'a-2.js']);
  });

  it('are copied from the folder of the previous release', () => {
    const previous = join(folder, 'previous');
    publishPages(build('a-0.js'), previous);
    publishPages(build('a-1.js'), previous);
    publishPages(build('a-2.js'), served(), previous);
    expect(assetsOf(served())).toEqual(['a-1.js', 'a-2.js']);
  });
});

describe('a process', () => {
  it('serves assets that a build added after it started, and looks for them at most once per second', async () => {
    publishPages(build('a-1.js'), served());
    let now = 0;
    const files = new AssetFiles(join(served(), 'assets'), () => now);
    const app = express().get('/assets/:name', (request, response, next) => {
      const serve = files.find(request.params.name);
      return serve ? serve(request, response, next) : void response.status(404).end();
    });
    const server = app.listen(0, '127.0.0.1');
    try {
      await new Promise((done) => server.once('listening', done));
      const { port } = server.address() as { port: number };
      const statusOf = async (name: string) => (await fetch(`http://127.0.0.1:${port}/assets/${name}`)).status;
      publishPages(build('a-2.js'), served());
      expect([await statusOf('a-1.js'), await statusOf('a-2.js')]).toEqual([200, 404]);
      now = 1_000;
      expect([await statusOf('a-1.js'), await statusOf('a-2.js')]).toEqual([200, 200]);
      now = 2_000;
      expect(await statusOf(encodeURIComponent('../dashboard.html'))).toBe(404);
    } finally {
      server.close();
    }
  });
});
