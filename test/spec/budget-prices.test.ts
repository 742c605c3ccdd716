import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setBudget } from '../support/budget-requests.ts';
import { globalId, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const MONEY = { period: 'MONTH', amount: '10' };

async function setPrice(model: string, key: string): Promise<void> {
  const document = `mutation ($input: SetModelPriceInput!) { setModelPrice(input: $input) { __typename } }`;
  const { body } = await service.graphql(
    document,
    { input: { model, inputPerMillion: 1, outputPerMillion: 2 } },
    { key },
  );
  expect(body.data.setModelPrice.__typename).toBe('SetModelPricePayload');
}

async function removePrice(model: string, key: string) {
  const document = `mutation ($model: String!) { removeModelPrice(input: { model: $model }) { __typename
    ... on Error { code message } ... on InUse { dependants { kind count ids } } } }`;
  return (await service.graphql(document, { model }, { key })).body.data.removeModelPrice;
}

/** A workspace whose deployment runs `draft`. */
async function workspaceWith(draft: object) {
  const workspace = await makeWorkspace(service);
  const { workflowId: id, deploymentId, keys } = workspace;
  const change = async (draft: object) =>
    resultOf(await workflowsOf(service).updateWorkflow({ id, input: { draft } }, { key: keys.live }));
  const publish = async () =>
    resultOf(await workflowsOf(service).publish({ id, deployments: [deploymentId] }, { key: keys.live }));
  await change(draft);
  await publish();
  return { ...workspace, key: keys.live, change, publish };
}

describe('a budget in money', () => {
  it('needs the price of each model that its deployments run', async () => {
    const { key, deploymentId } = await workspaceWith({ model: 'demo', summaryModel: 'openai:small' });
    const unpriced = (model: string) => ({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(`runs the model ${model}, which has no price. Set its price with setModelPrice`),
      path: ['amount'],
    });
    for (const place of [{}, { deploymentId }, { endUser: 'ada' }]) {
      expect(await setBudget(service, { ...place, ...MONEY }, key)).toMatchObject(unpriced('demo'));
    }
    await setPrice('demo', key);
    expect(await setBudget(service, MONEY, key)).toMatchObject(unpriced('openai:small'));
    await setPrice('openai:small', key);
    expect(await setBudget(service, MONEY, key)).toMatchObject({ amount: '10' });
  });

  it('of a conversation needs the prices of its deployment', async () => {
    const { key, deploymentId } = await workspaceWith({ model: 'demo' });
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const { body: turn } = await service.send('POST', `/v1/runner/${deploymentId}/conversation`, { body, key });
    const input = { conversationId: turn.conversation_id, ...MONEY };
    expect(await setBudget(service, input, key)).toMatchObject({ code: 'INVALID_REQUEST' });
    await setPrice('demo', key);
    expect(await setBudget(service, input, key)).toMatchObject({ place: 'CONVERSATION' });
  });

  it('in tokens needs no price', async () => {
    const { key } = await workspaceWith({ model: 'demo' });
    expect(await setBudget(service, { period: 'DAY', tokens: 5 }, key)).toMatchObject({ tokens: 5 });
  });
});

describe('a version with a model without a price', () => {
  it('is not published if a budget in money of any environment applies to the deployment', async () => {
    const { key, keys, change, publish, deploymentId } = await workspaceWith({ model: 'demo' });
    await setPrice('demo', key);
    const budget = await setBudget(service, MONEY, keys.test);
    await change({ model: 'openai:new' });
    await expect(publish()).rejects.toThrow(/invalid_request.*the model openai:new has no price. Set its price with/);
    const { prisma } = service.service.services.stores;
    expect(await prisma.deployment.findFirst({ where: { id: deploymentId } })).toMatchObject({ publishedVersion: 2 });
    await setPrice('openai:new', key);
    expect(await publish()).toMatchObject({ isNew: true });
    expect(budget).toMatchObject({ amount: '10' });
  });
});

describe('a default budget in money', () => {
  const RUN_BUDGET = { amount: '1' };

  /** Changes the deployment. The payload, or the error. */
  async function update(deploymentId: string, input: object, key: string) {
    const document = `mutation ($input: UpdateDeploymentInput!) { updateDeployment(input: $input) {
      __typename ... on Error { code message } } }`;
    return (await service.graphql(document, { input: { deploymentId, ...input } }, { key })).body.data.updateDeployment;
  }

  it('of a draft is not published without the prices of its models, nor removed', async () => {
    const { key, change, publish, deploymentId } = await workspaceWith({ model: 'demo' });
    await change({ runBudget: RUN_BUDGET });
    await expect(publish()).rejects.toThrow(
      /invalid_request.*The runBudget of the deployment .* its model demo has no price/,
    );
    await setPrice('demo', key);
    expect(await publish()).toMatchObject({ isNew: true });
    expect(await removePrice('demo', key)).toMatchObject({
      code: 'IN_USE',
      dependants: [{ kind: 'DEPLOYMENT', count: 1, ids: [globalId('Deployment', deploymentId)] }],
    });
  });

  it('of a deployment needs the prices of the models that it runs', async () => {
    const { key, deploymentId, change, publish } = await workspaceWith({ model: 'demo' });
    expect(await update(deploymentId, { visitorBudget: MONEY }, key)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('The visitorBudget of the deployment'),
    });
    await setPrice('demo', key);
    expect(await update(deploymentId, { visitorBudget: MONEY }, key)).toEqual({
      __typename: 'UpdateDeploymentPayload',
    });
    await change({ model: 'openai:new' });
    await expect(publish()).rejects.toThrow(/The visitorBudget of the deployment/);
    expect(await update(deploymentId, { visitorBudget: null }, key)).toEqual({ __typename: 'UpdateDeploymentPayload' });
    expect(await publish()).toMatchObject({ isNew: true });
  });
});

describe('an earlier version with a model without a price', () => {
  it('does not run again if a budget in money applies to the deployment', async () => {
    const { key, keys, change, publish, deploymentId } = await workspaceWith({ model: 'openai:old' });
    await change({ model: 'demo' });
    await publish();
    await setPrice('demo', key);
    await setBudget(service, MONEY, keys.test);
    const document = `mutation ($id: ID!) { rollBackDeployment(input: { deploymentId: $id, version: 2 }) {
      __typename ... on Error { code message } } }`;
    const rollBack = async () =>
      (await service.graphql(document, { id: deploymentId }, { key })).body.data.rollBackDeployment;
    expect(await rollBack()).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('openai:old') });
    await setPrice('openai:old', key);
    expect(await rollBack()).toEqual({ __typename: 'RollBackDeploymentPayload' });
  });
});

describe('the price of a model', () => {
  it('is not removed while a budget in money needs it', async () => {
    const { key, keys, change, publish } = await workspaceWith({ model: 'demo' });
    await setPrice('demo', key);
    await setPrice('openai:new', key);
    const { id } = await setBudget(service, MONEY, key);
    await setBudget(service, { endUser: 'ada', ...MONEY }, keys.test);
    expect(await removePrice('demo', key)).toEqual({
      __typename: 'InUse',
      code: 'IN_USE',
      message: 'The price of demo cannot be deleted: 2 budgets depend on it.',
      dependants: [{ kind: 'BUDGET', count: 2, ids: [id] }],
    });
    await change({ model: 'openai:new' });
    await publish();
    expect(await removePrice('demo', key)).toMatchObject({ __typename: 'RemoveModelPricePayload' });
  });

  it('is not removed by a call at the same time as a budget that needs it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key } = await workspaceWith({ model: 'demo' });
      await setPrice('demo', key);
      const [removed, budget] = await Promise.all([removePrice('demo', key), setBudget(service, MONEY, key)]);
      expect([removed.code, budget.code].filter(Boolean)).toHaveLength(1);
    }
  });
});
