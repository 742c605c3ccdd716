import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const versionOf = (path: string) => (JSON.parse(read(path)) as { version: string }).version;

describe('the version of a release', () => {
  const version = versionOf('package.json');

  it('is the same in every package, in openapi.json and in the Helm chart', () => {
    const { info } = JSON.parse(read('schema/openapi.json')) as { info: { version: string } };
    const chart = read('deploy/helm/parley/Chart.yaml');
    expect({
      sdk: versionOf('src/sdk/package.json'),
      web: versionOf('src/web/package.json'),
      openapi: info.version,
      chart: /^version: (\S+)$/m.exec(chart)?.[1],
      image: /^appVersion: "(\S+)"$/m.exec(chart)?.[1],
    }).toEqual({ sdk: version, web: version, openapi: version, chart: version, image: version });
  });

  it('is the newest of the changelog, and the newest with release notes', () => {
    expect(/^## \[(\d\S+)\]/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
    expect(/^## (\d\S+) \(/m.exec(read('docs/releases.md'))?.[1]).toBe(version);
  });
});
