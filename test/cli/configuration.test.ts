import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPLETE } from '../support/complete-configuration.ts';
import { type ConfigurationCli, configurationCli, ownerSession } from '../support/configuration.ts';
import { startService, type TestService } from '../support/service.ts';

const SECRET = 'Bearer a-secret-that-nobody-may-see';

describe('configuration as code', () => {
  let services: TestService[];
  let first: ConfigurationCli;
  let second: ConfigurationCli;
  let env: Readonly<Record<string, string>>;
  let secondEnv: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const [one, other] = await Promise.all([startService(), startService()]);
    services = [one, other];
    first = await configurationCli(one);
    second = await configurationCli(other);
    const session = async (service: TestService) => ({
      PARLEY_API_KEY: await ownerSession(service),
      CRM_AUTHORIZATION: SECRET,
      LOGIN_SECRET: SECRET,
      END_USER_CLIENT_SECRET: SECRET,
    });
    [env, secondEnv] = await Promise.all([session(one), session(other)]);
  });
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
    await Promise.all(services.map((service) => service.close()));
  });

  const apply = (cli: ConfigurationCli, path: string, variables: Readonly<Record<string, string>>, ...rest: string[]) =>
    cli.run(['apply', '-f', path, '--environment', 'test', ...rest], variables);

  it('applies a complete file, and changes nothing the second time', async () => {
    const path = await first.write('complete.yaml', COMPLETE);
    const plan = await apply(first, path, env, '--plan');
    expect([plan.stderr, plan.code]).toEqual(['', 3]);
    expect(plan.stdout).toContain('+ create deployment "Support chat"');
    const applied = await apply(first, path, env, '--yes', '--secrets-file', join(first.folder, 'secrets'));
    expect([applied.code, applied.stderr]).toEqual([0, expect.not.stringMatching(/Failed/)]);
    const again = await apply(first, path, env, '--yes');
    expect(again.stdout).toContain('Plan: No changes.');
    expect([again.code, (await apply(first, path, env, '--plan')).code]).toEqual([0, 0]);
    for (const text of [plan.stdout, applied.stdout, applied.stderr, ...(services[0]?.logLines ?? [])]) {
      expect(text).not.toContain('nobody-may-see');
    }
  });

  it('writes new secrets to a file that only its owner can read', async () => {
    const path = join(first.folder, 'secrets');
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    const lines = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { name: 'webhook https://93.184.215.14/hook', secret: expect.stringMatching(/^whsec_/) },
      { name: 'webhook https://93.184.215.14/runs', secret: expect.stringMatching(/^whsec_/) },
      { name: 'API key Site', secret: expect.stringMatching(/^sk_test_/) },
    ]);
  });

  it('exports a file that changes nothing here and reproduces the environment elsewhere', async () => {
    const args = ['export', 'config', '--environment', 'test'];
    const exported = await first.run(args, env);
    expect([exported.code, exported.stderr]).toEqual([
      0,
      expect.stringMatching(/^Exported integrations, modelPrices, workflows/),
    ]);
    const path = await first.write('exported.yaml', exported.stdout);
    expect((await apply(first, path, env, '--plan')).stdout).toContain('Plan: No changes.');
    const applied = await apply(second, path, secondEnv, '--yes', '--secrets-file', join(second.folder, 'secrets'));
    expect([applied.code, applied.stderr]).toEqual([0, expect.not.stringMatching(/Failed/)]);
    expect((await second.run(args, secondEnv)).stdout).toBe(exported.stdout);
  });
});
