import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { graphText } from '../support/graph-content.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, makeWorkspace } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({
    defaultModel: 'openai:house',
    providers: { openai: { apiKey: 'sk-secret' }, anthropic: {} },
  });
});
afterAll(() => service.close());

const PROGRESS = '{ setupProgress { hasModel hasWorkflow hasTest hasPublication hasAccess } }';
const progress = async (key: string) => (await service.graphql(PROGRESS, {}, { key })).body.data.setupProgress;

describe('the steps before the first conversation', () => {
  it('do not count what the first start of the service has made', async () => {
    const nothing = { hasModel: true, hasWorkflow: false, hasTest: false, hasPublication: false, hasAccess: false };
    expect(await progress(service.key)).toEqual(nothing);
    const { prisma } = service.service.services.stores;
    const [workflow] = await prisma.workflow.findMany({ orderBy: { id: 'asc' } });
    const id = workflow?.id ?? 0;
    const flows = workflowsOf(service);
    resultOf(await flows.updateWorkflow({ id, input: { draft: { instructions: 'Be brief.' } } }));
    expect(await progress(service.key)).toEqual({ ...nothing, hasWorkflow: true });
    resultOf(await flows.publish({ id, deployments: [DEMO_CHAT_ID] }));
    // The pages of the demo deployments are off, because a model that costs something is configured.
    expect(await progress(service.key)).toMatchObject({ hasPublication: true, hasAccess: false });
    resultOf(await flows.updateDeployment({ id: DEMO_CHAT_ID, input: { hostedPage: true } }));
    expect(await progress(service.key)).toMatchObject({ hasAccess: true });
  });

  it('begin with a provider of models', async () => {
    const other = await startService({ providers: { openai: { apiKey: '' }, anthropic: {} } });
    try {
      const { body } = await other.graphql(PROGRESS);
      expect(body.data.setupProgress.hasModel).toBe(false);
    } finally {
      await other.close();
    }
  });

  it('become true from the data of the workspace, until there is a conversation', async () => {
    const { prisma } = service.service.services.stores;
    const { id, environments, deploymentId, workflowId } = await makeWorkspace(service);
    const key = await makeKey(service, { environmentId: environments.live });
    const flows = workflowsOf(service);
    await prisma.deployment.updateMany({
      where: { id: deploymentId },
      data: { hostedPage: false, publishedVersion: null },
    });
    await prisma.apiKey.updateMany({ where: { environment: { workspaceId: id } }, data: { revokedAt: new Date() } });
    const caller = await makeKey(service, { environmentId: environments.live });
    expect(await progress(caller)).toEqual({
      hasModel: true,
      hasWorkflow: true,
      hasTest: false,
      hasPublication: false,
      hasAccess: true,
    });
    expect(await service.graphql(PROGRESS, {}, { key })).toMatchObject({ status: 401 });
    const input = { content: graphText('Hi') };
    resultOf(await flows.updateWorkflow({ id: workflowId, input: { draft: { model: 'demo' } } }, { key: caller }));
    resultOf(await flows.testDraft({ id: workflowId, input }, { key: caller }));
    expect(await progress(caller)).toMatchObject({ hasTest: true, hasPublication: false });
    resultOf(await flows.publish({ id: workflowId, deployments: [deploymentId] }, { key: caller }));
    expect(await progress(caller)).toMatchObject({ hasPublication: true });
    const start = `/v1/runner/${deploymentId}/conversation`;
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    expect((await service.send('POST', start, { body, key: caller })).status).toBe(200);
    expect(await progress(caller)).toBeNull();
    const testKey = await makeKey(service, { kind: 'test', environmentId: environments.test });
    expect(await progress(testKey)).toMatchObject({ hasTest: false, hasPublication: true });
  });

  it('count only the data of the own workspace', async () => {
    const other = await makeWorkspace(service);
    const { prisma } = service.service.services.stores;
    await prisma.deployment.updateMany({ where: { id: other.deploymentId }, data: { publishedVersion: null } });
    expect(await progress(other.keys.live)).toMatchObject({ hasPublication: false, hasTest: false });
  });
});

describe('the available models', () => {
  const MODELS = '{ availableModels { defaultModel providers { name isConfigured models } } }';
  const models = async (key = service.keys.live) =>
    (await service.graphql(MODELS, {}, { key })).body.data.availableModels;

  it('are those that the workspace knows, of providers that are configured or not, and no key', async () => {
    const flows = workflowsOf(service);
    resultOf(await flows.createWorkflow({ input: { name: 'A', draft: { model: 'anthropic:claude-a' } } }));
    await service.graphql(
      'mutation { setModelPrice(input: { model: "openai:priced", inputPerMillion: 1, outputPerMillion: 2 }) { __typename } }',
    );
    const known = await models();
    expect(known).toEqual({
      defaultModel: 'openai:house',
      providers: [
        { name: 'openai', isConfigured: true, models: ['openai:house', 'openai:priced'] },
        { name: 'anthropic', isConfigured: false, models: ['anthropic:claude-a'] },
        { name: 'openai-compatible', isConfigured: false, models: [] },
      ],
    });
    expect(JSON.stringify(known)).not.toContain('sk-secret');
    const other = await models((await makeWorkspace(service)).keys.live);
    expect(JSON.stringify(other)).not.toMatch(/priced|claude-a/);
  });
});
