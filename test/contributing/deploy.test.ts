import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/variables.ts';
import { LAST_STEPS_MS, SUPERVISOR_MARGIN_SECONDS } from '../../src/ops/shutdown-times.ts';
import { ROOT } from '../support/database.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const CHART = 'deploy/helm/parley';

/** Variables of Node. */
const FOREIGN = new Set(['NODE_ENV']);

const unknown = (names: Iterable<string>) => [...names].filter((name) => !(name in VARIABLES) && !FOREIGN.has(name));

interface Rule {
  readonly ports?: readonly { readonly port: number }[];
  readonly to?: readonly { readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] } }[];
}

interface Policy {
  readonly podSelector: { readonly matchLabels: object };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly object[];
  readonly egress: readonly Rule[];
}

function blockRange(list: BlockList, range: string): void {
  const [network = '', prefix] = range.split('/');
  list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4');
}

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly read_only?: boolean;
        readonly stop_grace_period?: string;
      }
    >
  >;
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

  it('give the service a database user that is no superuser', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    const { POSTGRES_USER, POSTGRES_DB } = { ...services.postgres?.environment };
    const url = String(services['parley-1']?.environment?.DATABASE_URL);
    const [, user, database] = /^postgres:\/\/(\w+):.*\/(\w+)$/.exec(url) ?? [];
    expect([user, database]).toEqual(['parley', POSTGRES_DB]);
    expect(user).not.toBe(POSTGRES_USER);
    const script = read('deploy/postgres.sql');
    expect(script.match(/^CREATE ROLE .*$/gm)).toEqual([
      "CREATE ROLE parley LOGIN PASSWORD :'password';",
      'CREATE ROLE parley_service NOLOGIN;',
    ]);
    expect(script.match(/^GRANT .* TO parley;$/gm)).toEqual(['GRANT parley_service TO parley;']);
    expect(script).toContain(`ALTER ROLE ${POSTGRES_USER} PASSWORD NULL;`);
  });

  it('let a pod receive requests on its port alone, and reach no private network or metadata service', () => {
    // Helm replaces these parts. `networkPolicy.privatePorts` are in values.yaml.
    const text = read(`${CHART}/templates/network-policy.yaml`)
      .replace(/^\s*\{\{-.*\}\}\n/gm, '')
      .replace('{{ toJson .Values.networkPolicy.from }}', '[]')
      .replace('port: {{ . }}', 'port: 5432')
      .replace(/\{\{.*?\}\}/g, 'parley');
    const { spec } = parse(text) as { readonly spec: Policy };
    expect(spec.podSelector.matchLabels).toEqual(
      parse(
        /matchLabels: (\{.*\})/
          .exec(read(`${CHART}/templates/deployment.yaml`))?.[1]
          ?.replace(/\{\{.*?\}\}/, 'parley') ?? '',
      ),
    );
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec.ingress).toEqual([{ ports: [{ protocol: 'TCP', port: 'http' }], from: [] }]);
    const [dns, own, open] = spec.egress;
    expect(dns?.ports?.map(({ port }) => port)).toEqual([53, 53]);
    expect(own?.ports).toEqual([{ protocol: 'TCP', port: 5432 }]);
    // The rule for all ports covers public addresses alone.
    expect(open?.ports).toBeUndefined();
    const blocked = new BlockList();
    for (const { ipBlock } of open?.to ?? []) for (const range of ipBlock?.except ?? []) blockRange(blocked, range);
    for (const address of ['169.254.169.254', '10.0.0.1', '172.20.0.1', '192.168.1.1', '100.100.1.1', '127.0.0.1'])
      expect(blocked.check(address), address).toBe(true);
    for (const address of ['fd00::1', 'fe80::1']) expect(blocked.check(address, 'ipv6'), address).toBe(true);
    expect(blocked.check('1.1.1.1')).toBe(false);
    expect(spec.egress).toHaveLength(3);
  });

  it('give a process more time to stop than it takes at most', () => {
    const seconds = Number(VARIABLES.SHUTDOWN_TIMEOUT.default);
    const limit = seconds + SUPERVISOR_MARGIN_SECONDS;
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    for (const name of ['parley-1', 'parley-2']) {
      expect(services[name]?.environment).not.toHaveProperty('SHUTDOWN_TIMEOUT');
      expect(services[name]?.stop_grace_period).toBe(`${limit}s`);
    }
    expect(read('deploy/parley@.service')).toMatch(new RegExp(`^TimeoutStopSec=${limit}$`, 'm'));
    const chart = read(`${CHART}/templates/deployment.yaml`);
    const grace = `{{ add .Values.shutdownDelay .Values.shutdownTimeout ${SUPERVISOR_MARGIN_SECONDS} }}`;
    expect(chart).toContain(`terminationGracePeriodSeconds: ${grace}\n`);
    expect(chart).toContain('name: SHUTDOWN_DELAY, value: {{ .Values.shutdownDelay |');
    expect(chart).toContain('name: SHUTDOWN_TIMEOUT, value: {{ .Values.shutdownTimeout |');
    expect(parse(read(`${CHART}/values.yaml`)).shutdownTimeout).toBe(seconds);
    const { meaning } = VARIABLES.SHUTDOWN_TIMEOUT;
    expect(meaning).toContain(`${LAST_STEPS_MS / 1_000} seconds less`);
    expect(meaning).toContain(`${SUPERVISOR_MARGIN_SECONDS} seconds more`);
    const guide = read('docs/operations.md');
    expect(guide).toContain(`${limit} s by default`);
    expect(guide).toContain(`up to ${seconds - LAST_STEPS_MS / 1_000} s after \`SHUTDOWN_DELAY\``);
    expect(guide).toContain(`at most ${seconds} s (\`SHUTDOWN_TIMEOUT\`)`);
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
const WHOLE = new Set(['env', 'resources', 'ingress.annotations', 'networkPolicy.from', 'networkPolicy.privatePorts']);

function leavesOf(value: object, path = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return typeof inner === 'object' && inner !== null && !WHOLE.has(at) ? leavesOf(inner, at) : [at];
  });
}
