import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { type ConfigurationCli, configurationCli } from '../support/configuration.ts';
import { ROOT } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

const FILE = `# yaml-language-server: $schema=./parley.schema.json
version: 1
integrations:
  - name: crm
    kind: mcp
    url: https://93.184.215.14/mcp
    headers: [{ name: Authorization, env: CRM_AUTHORIZATION }]
workflows:
  - name: Support
    config: { instructions: You help customers. }
deployments:
  - { name: Support chat, workflow: Support, kind: chat }
  - { name: Support agent, workflow: Support, kind: agent }
`;

describe('the configuration commands as processes', () => {
  let service: TestService;
  let files: ConfigurationCli;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    service = await startService();
    files = await configurationCli(service);
    env = { PARLEY_URL: service.url, PARLEY_API_KEY: service.keys.test, CRM_AUTHORIZATION: 'Bearer hidden-value' };
  });
  afterAll(async () => {
    await files.close();
    await service.close();
  });

  it('plan, apply and export need no database', async () => {
    const path = await files.write('w.yaml', FILE);
    const plan = await cli(env, ['apply', '-f', path, '--plan']);
    expect([plan.code, plan.stderr]).toEqual([3, '']);
    expect(plan.stdout).toContain(`Environment: test of ${service.url}\n`);
    expect(plan.stdout).toContain('Plan: 4 to create, 2 to change, 0 to remove.');
    const applied = await cli(env, ['apply', '-f', path, '--yes', '--json']);
    expect(applied.code).toBe(0);
    expect(JSON.parse(applied.stdout)).toMatchObject({
      applied: true,
      create: expect.arrayContaining(['workflow "Support"']),
    });
    expect(await cli(env, ['apply', '-f', path, '--plan'])).toMatchObject({ code: 0, stderr: '' });
    const exported = await cli(env, ['export', 'config']);
    expect(exported.code).toBe(0);
    expect(exported.stdout).toContain('      - name: Authorization\n        env: CRM_AUTHORIZATION\n');
    expect(plan.stdout + applied.stdout + applied.stderr + exported.stdout).not.toContain('hidden-value');
  });

  it.each([
    [
      'a typo in the file',
      FILE.replace('workflows:', 'workflow:'),
      {},
      1,
      /w\.yaml:8:1: workflow is not a field\. Did you mean workflows\?\n$/,
    ],
    ['a wrong key', FILE, { PARLEY_API_KEY: 'sk_test_wrong' }, 1, /^PARLEY_API_KEY is not valid at this service/],
    [
      'a missing variable',
      FILE.replace('Authorization,', 'X-Other,'),
      { CRM_AUTHORIZATION: '' },
      1,
      /w\.yaml:7:\d+: integrations\[0\]\.headers\[0\]\.env names the environment variable CRM_AUTHORIZATION, which is not set/,
    ],
  ] as const)('explains %s', async (_name, text, variables, code, message) => {
    const path = await files.write('w.yaml', text);
    const result = await cli({ ...env, ...variables }, ['apply', '-f', path, '--yes']);
    expect(result.stderr).toMatch(message);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  it('names a missing scope, and a usage error has its own exit code', async () => {
    const path = await files.write('w.yaml', FILE);
    const PARLEY_API_KEY = await makeKey(service, { kind: 'test', scopes: ['workflows:read'] });
    const result = await cli({ ...env, PARLEY_API_KEY }, ['apply', '-f', path, '--plan']);
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('the scope integrations:manage')]);
    expect(await cli(env, ['apply'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--file is required\./),
    });
    expect(await cli(env, ['apply', '-f', path, '--dry'])).toMatchObject({ code: 2 });
  });

  it('finishes the work after its process was killed at any step', async () => {
    const names = ['One', 'Two', 'Three', 'Four'];
    const workflows = names.map((name) => `  - name: Killed ${name}\n    config: { instructions: ${name} }`).join('\n');
    const versions = `\n    versions: [{ name: old, config: { instructions: Old } }]\n`;
    const deployments = names.map((name) => `  - { name: Killed ${name}, workflow: Killed ${name}, kind: chat }`);
    const old = '  - { name: Killed old, workflow: Killed Four, kind: chat, version: old }';
    const text = `version: 1\nworkflows:\n${workflows}${versions}deployments:\n${[...deployments, old].join('\n')}\n`;
    const path = await files.write('killed.yaml', text);
    // Each run is killed after one more step. The process may already have sent the next request.
    for (let steps = 1; steps <= 3; steps += 1) await killedAfter(steps, path);
    const rest = await cli(env, ['apply', '-f', path, '--yes']);
    expect(rest.code).toBe(0);
    expect(await cli(env, ['apply', '-f', path, '--plan'])).toMatchObject({ code: 0 });
    const { body } = await service.graphql(
      '{ workflows(first: 100) { nodes { name } } }',
      {},
      { key: service.keys.test },
    );
    const created = body.data.workflows.nodes
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name.startsWith('Killed'));
    expect(created.sort()).toEqual(names.map((name) => `Killed ${name}`).sort());
  });

  async function killedAfter(steps: number, path: string): Promise<void> {
    const child = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), 'apply', '-f', path, '--yes'], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const closed = once(child, 'close');
    let done = 0;
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.startsWith('Done: ')) done += 1;
      if (done === steps) child.kill('SIGKILL');
    }
    await closed;
    expect(child.signalCode).toBe('SIGKILL');
  }
});
