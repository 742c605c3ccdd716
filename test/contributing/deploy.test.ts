import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/variables.ts';
import { ROOT } from '../support/database.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const CHART = 'deploy/helm/parley';

/** Variables of Node. */
const FOREIGN = new Set(['NODE_ENV']);

const unknown = (names: Iterable<string>) => [...names].filter((name) => !(name in VARIABLES) && !FOREIGN.has(name));

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: object; readonly read_only?: boolean }>>;
}

describe('the files of deployments', () => {
  it('set only variables that the service has', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    const [, ofImage = ''] = /^ENV (.*)$/m.exec(read('Dockerfile')) ?? [];
    const [, ofUnit = ''] = /^Environment=(.*)$/m.exec(read('deploy/parley@.service')) ?? [];
    const ofChart = read(`${CHART}/templates/deployment.yaml`).matchAll(/\{ name: ([A-Z_]+), value/g);
    const names = [
      ...Object.keys(services['parley-1']?.environment ?? {}),
      ...[...ofImage.matchAll(/(\w+)=/g), ...ofUnit.matchAll(/(\w+)=/g), ...ofChart].map(([, name = '']) => name),
    ];
    expect(names.length).toBeGreaterThan(15);
    expect(unknown(names)).toEqual([]);
  });

  it('the chart uses every value that it declares, and no other', () => {
    const used = new Set<string>();
    for (const file of readdirSync(join(ROOT, CHART, 'templates')))
      for (const [, path = ''] of read(`${CHART}/templates/${file}`).matchAll(/\.Values\.([\w.]+)/g)) used.add(path);
    expect([...used].sort()).toEqual(leavesOf(parse(read(`${CHART}/values.yaml`))).sort());
  });

  it('run the processes without rights to write or to gain rights', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    for (const name of ['parley-1', 'parley-2'])
      expect(services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    const chart = read(`${CHART}/templates/deployment.yaml`);
    for (const rule of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false'])
      expect(chart).toContain(rule);
    expect(read('Dockerfile')).toMatch(/^USER 10001$/m);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

  it.skipIf(!hasSystemd)('systemd-analyze rates the exposure of the unit 3.0 or better', () => {
    const args = ['security', '--offline=true', '--threshold=30', join(ROOT, 'deploy/parley@.service')];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(stdout).toContain('Overall exposure level');
    expect(status, stdout).toBe(0);
  });
});

/** Values that a template reads as a whole. */
const WHOLE = new Set(['env', 'resources', 'ingress.annotations']);

function leavesOf(value: object, path = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return typeof inner === 'object' && inner !== null && !WHOLE.has(at) ? leavesOf(inner, at) : [at];
  });
}
