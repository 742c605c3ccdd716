import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../src/cli/configuration/api.ts';
import { applyPlan } from '../../src/cli/configuration/apply.ts';
import { planOf } from '../../src/cli/configuration/plan.ts';
import { parseConfiguration } from '../../src/cli/configuration/read-file.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { type ConfigurationCli, configurationCli, ownerSession } from '../support/configuration.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

const workflow = (name: string, instructions: string) =>
  `workflows:\n  - name: ${name}\n    config: { instructions: ${instructions} }\n`;
const deployment = (name: string, fields = '') =>
  `deployments:\n  - { name: ${name} chat, workflow: ${name}, kind: chat${fields} }\n`;

describe('apply', () => {
  let service: TestService;
  let cli: ConfigurationCli;
  beforeAll(async () => {
    service = await startService();
    cli = await configurationCli(service);
  });
  afterAll(async () => {
    await cli.close();
    await service.close();
  });

  async function apply(text: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const path = await cli.write('w.yaml', `version: 1\n${text}`);
    const result = await cli.run(['apply', '-f', path, ...args], env);
    return { ...result, stderr: result.stderr.replaceAll(path, 'w.yaml') };
  }

  async function applied(text: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await apply(text, ['--yes', ...args]);
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/Failed/)]);
    return stdout;
  }

  const graphql = async (query: string) => {
    const { body } = await service.graphql(query, {}, { key: service.keys.test });
    expect(body.errors).toBeUndefined();
    return body.data;
  };

  const versionsOf = async (name: string) => {
    const { deployments } = await graphql('{ deployments(first: 100) { nodes { name publishedVersion } } }');
    return deployments.nodes.find((node: { name: string }) => node.name === name)?.publishedVersion;
  };

  it('shows a unified difference and changes only what differs', async () => {
    await applied(workflow('Diff', 'One') + deployment('Diff'));
    const text = workflow('Diff', 'Two') + deployment('Diff', ', allowlist: [example.com]');
    const { code, stdout } = await apply(text, ['--plan']);
    expect(code).toBe(3);
    expect(stdout).toContain('     config:\n    -  instructions: One\n    +  instructions: Two\n');
    expect(stdout).toContain('    +allowlist:\n    +  - example.com\n');
    expect(stdout).toContain('Plan: 0 to create, 3 to change, 0 to remove. Unchanged: 0.');
    expect(await versionsOf('Diff chat')).toBe(1);
    await applied(text);
    expect(await versionsOf('Diff chat')).toBe(2);
  });

  it('takes a deployment offline and publishes it again', async () => {
    await applied(workflow('Online', 'One') + deployment('Online'));
    await applied(workflow('Online', 'One') + deployment('Online', ', published: false'));
    expect(await versionsOf('Online chat')).toBeNull();
    // Without the workflow in the file, its draft is published.
    await applied(deployment('Online'));
    expect(await versionsOf('Online chat')).toBe(1);
  });

  it('returns to an earlier configuration without changing the draft', async () => {
    await applied(workflow('Pinned', 'One') + deployment('Pinned'));
    const versions = '    versions: [{ name: stable, config: { instructions: One } }]\n';
    const text = workflow('Pinned', 'Two') + versions + deployment('Pinned', ', version: stable');
    await applied(text);
    expect((await apply(text, ['--plan'])).code).toBe(0);
    const { workflows } = await graphql('{ workflows(first: 100) { nodes { name draft { instructions } } } }');
    expect(workflows.nodes).toContainEqual({ name: 'Pinned', draft: { instructions: 'Two' } });
    const moved = workflow('Pinned', 'Two') + deployment('Pinned');
    expect((await apply(moved, ['--plan'])).stdout).toContain('    -instructions: One\n    +instructions: Two\n');
  });

  it('does not overwrite a change that was made after the plan', async () => {
    await applied(workflow('Raced', 'One'));
    const { api, source, plan, terminal } = await planned(workflow('Raced', 'Two'), service.url, process.stderr);
    await applied(workflow('Raced', 'Three'));
    const options = { allowBreaking: false, secretsFile: undefined };
    await expect(applyPlan(api, plan, source, terminal, options)).rejects.toThrow(
      /Failed to change workflow "Raced": .* Somebody changed it after the plan was made\.\nSteps done: 0 of 1\./,
    );
    expect((await apply(workflow('Raced', 'Three'), ['--plan'])).code).toBe(0);
  });

  it('continues after a failed step', async () => {
    const text = (url: string) =>
      `${workflow('Half', 'One')}${deployment('Half')}webhooks:\n  - url: ${url}\nmodelPrices:\n  - { model: demo, inputPerMillion: 1, outputPerMillion: 1 }\n`;
    const secrets = ['--secrets-file', join(cli.folder, 'half')];
    const failed = await apply(text('https://10.0.0.1/hook'), ['--yes', ...secrets]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/w\.yaml:8:5: webhooks\[0\]\.url: Failed to create webhook .*not public/);
    expect(failed.stderr).toMatch(/Steps done: 4 of 5\. Correct the problem and repeat the command/);
    const rest = await applied(text('https://93.184.215.14/half'), ...secrets);
    expect(rest).toContain('Plan: 1 to create, 0 to change, 0 to remove. Unchanged: 3.');
  });

  it('removes with --prune exactly what it names, and never its own key', async () => {
    await applied(
      'webhooks: [{ url: "https://93.184.215.14/old" }]\napiKeys: [{ name: Old, scopes: [resources:read] }]\n',
      '--secrets-file',
      join(cli.folder, 'prune'),
    );
    const text = 'webhooks: [{ url: "https://93.184.215.14/half" }]\napiKeys: []\n';
    const without = await apply(text, ['--plan']);
    expect([without.code, without.stdout]).toEqual([0, expect.stringMatching(/left alone.*\n {2}webhook.*old"/)]);
    const { code, stdout } = await apply(text, ['--plan', '--prune']);
    expect(code).toBe(3);
    expect(stdout).toContain(
      '- remove webhook "https://93.184.215.14/old"\n    It is deleted with its deliveries. ID: whk_',
    );
    expect(stdout).toMatch(/- remove API key "Old"\n {4}It is revoked permanently\. ID: key_/);
    expect(stdout).toMatch(/cannot remove them:\n {2}API key ".*": this command may use it/);
    await applied(text, '--prune');
    expect((await apply(text, ['--plan', '--prune'])).code).toBe(0);
    const { apiKeys, webhookEndpoints, workflows } = await graphql(
      '{ apiKeys(first: 100) { nodes { name revokedAt } } webhookEndpoints { nodes { url } } workflows { nodes { name } } }',
    );
    expect(webhookEndpoints.nodes).toEqual([{ url: 'https://93.184.215.14/half' }]);
    expect(apiKeys.nodes.find(({ name }: { name: string }) => name === 'Old').revokedAt).not.toBeNull();
    expect(workflows.nodes.length).toBeGreaterThan(1);
  });

  it('sends the values of headers again with --send-secrets, and if the names of the headers differ', async () => {
    const text = (header: string) =>
      `integrations:\n  - { name: api, kind: http, url: "https://93.184.215.14/", headers: [{ name: ${header}, env: TOKEN }] }\n`;
    const env = { TOKEN: 'first' };
    const missing = await apply(text('x-token'), ['--yes']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'w.yaml:3:88: integrations[0].headers[0].env names the environment variable TOKEN, which is not set.\n' +
        'Nothing was changed. Set the variables and repeat the command.\n',
    ]);
    expect((await apply(text('x-token'), ['--yes'], env)).code).toBe(0);
    expect((await apply(text('x-token'), ['--plan'])).code).toBe(0);
    const again = await apply(text('x-token'), ['--yes', '--send-secrets'], { TOKEN: 'second' });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Sends its secrets again.')]);
    expect((await apply(text('x-other'), ['--plan'])).code).toBe(3);
    const invalid = await apply(text('x-other'), ['--yes'], { TOKEN: 'a\nsecret' });
    expect([invalid.code, invalid.stderr]).toEqual([1, expect.stringMatching(/^Integration "api": .*TOKEN/)]);
    expect(invalid.stderr).not.toContain('secret\n');
  });

  it('rejects what the API cannot change, and names that are unknown or ambiguous', async () => {
    await applied(workflow('Fixed', 'One') + deployment('Fixed'));
    const kind = await apply(`deployments:\n  - { name: Fixed chat, workflow: Fixed, kind: agent }\n`, ['--plan']);
    expect([kind.code, kind.stderr]).toEqual([
      1,
      'w.yaml:3:42: deployments[0].kind cannot change for the existing deployment "Fixed chat". Give the deployment another name: that creates a new deployment.\n',
    ]);
    const unknown = await apply(deployment('Nowhere'), ['--plan']);
    expect(unknown.stderr).toMatch(/^w\.yaml:3:\d+: deployments\[0\]\.workflow: There is no workflow "Nowhere"\./);
    await graphql('mutation { createWorkflow(input: { name: "Twice" }) { __typename } }');
    await graphql('mutation { createWorkflow(input: { name: "Twice" }) { __typename } }');
    const twice = await apply(workflow('Twice', 'One'), ['--plan']);
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringMatching(/several of workflow "Twice": \d+, \d+\./)]);
    expect((await cli.run(['export', 'config'])).stderr).toMatch(/several of workflow "Twice"/);
  });

  it('names the missing scope and the section that needs a session', async () => {
    const key = await makeKey(service, { kind: 'test', scopes: SCOPES.filter((scope) => scope !== 'workflows:read') });
    const scope = await apply(workflow('A', 'One'), ['--plan'], { PARLEY_API_KEY: key });
    expect([scope.code, scope.stderr]).toEqual([1, expect.stringContaining('does not have the scope workflows:read.')]);
    const session = await apply('retention: { days: 1 }\n', ['--plan']);
    expect([session.code, session.stderr]).toEqual([1, expect.stringContaining('Send a session token.')]);
    const readOnly = await makeKey(service, { kind: 'test', scopes: ['workflows:read'] });
    const write = await apply(workflow('A', 'One'), ['--yes'], { PARLEY_API_KEY: readOnly });
    expect(write.stderr).toMatch(/Failed to create workflow "A": .*workflows:write/);
    const exported = await cli.run(['export', 'config'], {
      PARLEY_API_KEY: await makeKey(service, { kind: 'test', scopes: ['documents:read'] }),
    });
    expect([exported.code, exported.stderr]).toEqual([
      0,
      expect.stringMatching(/Left out: workflows\. .*workflows:read/),
    ]);
  });

  it('asks for --yes without a terminal, and for a file if secrets are created', async () => {
    const asked = await apply(workflow('Asked', 'One'), []);
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(/no terminal to ask\. Add --yes/)]);
    const text = 'apiKeys: [{ name: New, scopes: [resources:read] }]\n';
    const secret = await apply(text, ['--yes']);
    expect([secret.code, secret.stderr]).toEqual([1, expect.stringMatching(/Set --secrets-file to a new file/)]);
    expect(secret.stdout + secret.stderr).not.toMatch(/sk_test_\w{20}/);
  });

  it('checks its address and its key', async () => {
    const plan = (env: Readonly<Record<string, string>>, ...args: string[]) => apply('', ['--plan', ...args], env);
    expect((await plan({ PARLEY_URL: 'parley' })).stderr).toMatch(/^PARLEY_URL must be the address of the service/);
    expect((await plan({ PARLEY_API_KEY: '' })).stderr).toMatch(/^PARLEY_API_KEY must be an API key/);
    expect((await plan({}, '--environment', 'live')).stderr).toMatch(/PARLEY_API_KEY is a key of the test environment/);
    const wrong = await apply('limits: {}\n', ['--plan'], { PARLEY_API_KEY: 'sk_test_wrong' });
    expect(wrong.stderr).toBe('PARLEY_API_KEY is not valid at this service. Check the key, and PARLEY_URL.\n');
    const nobody = await apply('limits: {}\n', ['--plan'], { PARLEY_URL: 'http://127.0.0.1:9' });
    expect(nobody.stderr).toMatch(/^PARLEY_URL cannot be reached \(.+\)\. Check the address\.\n$/);
  });

  it('reads every page, and has each effect once on a connection that breaks', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `Page ${index}`);
    const workflows = names.map((name) => `  - name: ${name}\n`).join('');
    const deployments = names.map((name) => `  - { name: ${name}, workflow: ${name}, kind: chat, published: false }\n`);
    const text = `workflows:\n${workflows}deployments:\n${deployments.join('')}`;
    const proxy = await startLosingProxy(service.url);
    try {
      let done = 0;
      const write = () => {
        done += 1;
        if (done % 10 === 1) proxy.loseNext();
      };
      const { api, source, plan, terminal } = await planned(text, proxy.url, { write });
      await applyPlan(api, plan, source, terminal, { allowBreaking: false, secretsFile: undefined });
      expect(done).toBe(90);
      expect(proxy.lost).toBe(9);
    } finally {
      await proxy.close();
    }
    const again = await apply(text, ['--plan']);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Unchanged: 90.')]);
  });

  /** The plan of a file, without applying it. */
  async function planned(text: string, url: string, stderr: object) {
    const terminal = { env: { PARLEY_URL: url, PARLEY_API_KEY: service.keys.test }, stderr } as unknown as Terminal;
    const api = openApi(terminal, { text: () => undefined, required: () => '', isSet: () => false });
    const source = await parseConfiguration('w.yaml', `version: 1\n${text}`);
    return { terminal, api, source, plan: await planOf(api, source, { prune: false, sendSecrets: false }) };
  }

  it('keeps live and test apart for a session', async () => {
    const env = { PARLEY_API_KEY: await ownerSession(service) };
    const text = 'modelPrices: []\nwebhooks: [{ url: "https://93.184.215.14/half" }]\n';
    expect((await apply(text, ['--plan', '--environment', 'test'], env)).code).toBe(0);
    expect((await apply(text, ['--plan'], env)).code).toBe(3);
  });
});
