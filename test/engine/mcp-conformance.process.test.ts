import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

const [TSX, CLIENT] = ['tsx/cli', '../support/processes/mcp-conformance-client.ts'].map((name) =>
  fileURLToPath(import.meta.resolve(name)),
);
const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

const OLD = '2025-11-25';
const MODERN = '2026-07-28';

const SCENARIOS = [
  ['initialize', '2025-06-18'],
  ['initialize', OLD],
  ['tools_call', OLD],
  ['tools_call', MODERN],
  ['sse-retry', OLD],
  ['json-schema-2020-12-preservation', OLD],
  ['json-schema-2020-12-preservation', MODERN],
  ['json-schema-ref-no-deref', MODERN],
  ['request-metadata', MODERN],
  ['http-standard-headers', MODERN],
  ['http-custom-headers', MODERN],
  ['http-invalid-tool-headers', MODERN],
] as const;

/** The scenarios that this client does not follow, and why. */
const EXCEPTIONS: readonly [prefix: string, reason: string][] = [
  ['auth/', 'an integration has fixed headers'],
  ['elicitation-sep1034-client-defaults', 'the service cannot ask the user of a tool'],
  ['sep-2322-client-request-state', 'its tools ask their user'],
  ['sep-2640-', 'the service reads no skills'],
];

interface Check {
  readonly id: string;
  readonly status: string;
}

const isOld = Number(process.versions.node.split('.')[0]) < 22;

describe.skipIf(isOld)(`the MCP client${isOld ? ' (skipped: the tests need Node.js 22)' : ''}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(SCENARIOS)('passes the scenario %s of the revision %s', async (scenario, revision) => {
    const output = join(folder, `${scenario}-${revision}`);
    const options = ['--scenario', scenario, '--spec-version', revision, '--output-dir', output];
    const command = `${process.execPath} ${TSX} ${CLIENT}`;
    await run(process.execPath, [SUITE, 'client', '--command', command, ...options]).catch(() => {});
    const [name = ''] = await readdir(output);
    const checks: Check[] = JSON.parse(await readFile(join(output, name, 'checks.json'), 'utf8'));
    expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
    expect(checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')).toEqual([]);
  });

  it('has a reason for each scenario that it does not follow', async () => {
    const { stdout } = await run(process.execPath, [SUITE, 'list']);
    const [, clients = ''] = stdout.split(/^Client scenarios.*$/m);
    const names = [...(clients.split(/^\w.*scenarios/m)[0] ?? '').matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
    const known = (name = '') =>
      SCENARIOS.some(([one]) => one === name) || EXCEPTIONS.some(([prefix]) => name.startsWith(prefix));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});
