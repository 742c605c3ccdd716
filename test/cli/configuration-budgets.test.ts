import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setBudget } from '../support/budget-requests.ts';
import { type ConfigurationCli, configurationCli } from '../support/configuration.ts';
import { startService, type TestService } from '../support/service.ts';

const PRICE = (model: string) => `{ model: ${model}, inputPerMillion: 1, outputPerMillion: 2 }`;

/** A workflow and its deployment with the prices of its models. */
const workspace = (model: string, ...models: string[]) =>
  `modelPrices: [${models.map(PRICE).join(', ')}]
workflows: [{ name: Shop, config: { model: ${model} } }]
deployments: [{ name: Shop chat, workflow: Shop, kind: chat }]
`;

describe('budgets in the configuration file', () => {
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

  async function apply(text: string, ...args: string[]) {
    const path = await cli.write('w.yaml', `version: 1\n${text}`);
    const result = await cli.run(['apply', '-f', path, ...args]);
    return { ...result, stderr: result.stderr.replaceAll(path, 'w.yaml') };
  }

  const read = async (query: string) => (await service.graphql(query, {}, { key: service.keys.test })).body.data;

  it('are set, changed and removed with --prune, and those of end users stay', async () => {
    await setBudget(service, { endUser: 'ada', period: 'TOTAL', tokens: 5 }, service.keys.test);
    const text = (amount: string) =>
      `${workspace('demo', 'demo')}environment: { timeZone: Asia/Tokyo }\nbudgets:\n  - { period: month, amount: '${amount}' }\n`;
    const created = await apply(`${text('10')}  - { deployment: Shop chat, period: day, tokens: 7 }\n`, '--yes');
    expect([created.code, created.stdout]).toEqual([0, expect.stringContaining('+ create budget "day of Shop chat"')]);
    expect((await read('{ timeZone }')).timeZone).toBe('Asia/Tokyo');
    expect((await apply(text('10.00'), '--plan')).code).toBe(0);
    const changed = await apply(text('12.5'), '--yes', '--prune');
    expect([changed.code, changed.stdout]).toEqual([0, expect.stringContaining('~ change budget "month"')]);
    expect(changed.stdout).toContain(
      '- remove budget "day of Shop chat"\n    It is removed with what was spent of it.',
    );
    const { budgets } = await read('{ budgets { nodes { place period amount tokens } } }');
    expect(budgets.nodes).toEqual([
      { place: 'ENVIRONMENT', period: 'MONTH', amount: '12.5', tokens: null },
      { place: 'END_USER', period: 'TOTAL', amount: null, tokens: 5 },
    ]);
  });

  it('get the price of a new model before it is published', async () => {
    const { code, stderr } = await apply(workspace('openai:new', 'demo', 'openai:new'), '--yes');
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/Failed/)]);
  });

  it.each([
    [
      'budgets: [{ period: day, tokens: 1 }, { period: day, amount: "1" }]',
      'budgets[1].period is used twice for the same place. Remove one.',
    ],
    ['budgets: [{ period: day }]', 'budgets[0].amount or tokens must be set, and not both.'],
    ['budgets: [{ period: day, tokens: 1, amount: "1" }]', 'budgets[0].amount or tokens must be set, and not both.'],
    ['budgets: [{ period: year, tokens: 1 }]', 'budgets[0].period must be one of total, day, month.'],
    ['budgets: [{ deployment: Nobody, period: day, tokens: 1 }]', 'There is no deployment "Nobody".'],
    [
      'deployments: []\nbudgets: [{ deployment: Nobody, period: day, tokens: 1 }]',
      'budgets[0].deployment is not the name of a deployment in this file. Add the deployment.',
    ],
  ])('with an error are not applied: %s', async (text, message) => {
    const { code, stderr } = await apply(text, '--plan');
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
