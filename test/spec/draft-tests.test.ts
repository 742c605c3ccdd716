import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let flows: Workflows;
beforeAll(async () => {
  service = await startService();
  flows = workflowsOf(service);
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;
const message = (text: string, fields: object = {}) => ({ content: graphText(text), ...fields });
const inRest = (text: string, fields: object = {}) => ({ content: textContent(text), ...fields });
const test = (id: number, input: object) => flows.testDraft({ id, input });

describe('a test of a draft', () => {
  it('behaves like its publication and leaves the published version unchanged', async () => {
    const { workflowId: id, deploymentId } = await publishedWorkflow(flows, { instructions: 'First.' });
    await flows.updateWorkflow({ id, input: { draft: { instructions: 'Hello {{NAME}}.' } } });
    const deployment = () => prisma().deployment.findUniqueOrThrow({ where: { id: deploymentId } });
    const before = await deployment();
    const run = resultOf(await test(id, message('/instructions', { variables: [{ name: 'NAME', value: 'Ann' }] })));
    expect(run).toMatchObject({ content: 'Hello Ann.', model: 'demo' });
    expect(await deployment()).toEqual(before);
    const once = await service.send('POST', `/v1/runner/${deploymentId}`, { body: inRest('/instructions') });
    expect(once.body.content).toBe('First.');
  });

  it('needs no deployment and no trigger, and writes a workflow log entry that names neither', async () => {
    const { workflowId: id } = resultOf(await flows.createWorkflow({ input: { name: 'New' } }));
    await service.send('POST', `/v1/workflow/${id}/trigger-settings`, { body: { trigger_required: true } });
    const conversations = await prisma().conversation.count();
    const run = resultOf(await test(id, message('Hi')));
    expect(run.content).toBe('You said: Hi');
    const line = await prisma().workflowLog.findFirstOrThrow({ where: { id: run.workflowLogId } });
    expect(line).toMatchObject({
      workflowId: id,
      workflowVersion: null,
      deploymentId: null,
      triggerId: null,
      outcome: 'completed',
      inputTokens: run.inputTokens,
    });
    expect(await prisma().conversation.count()).toBe(conversations);
  });

  it('returns the error of a failing model and logs the failure', async () => {
    const { workflowId: id } = resultOf(await flows.createWorkflow({ input: { name: 'New' } }));
    expectGraphqlError(await test(id, message('/fail')), 'model_error', { param: null });
    const line = await prisma().workflowLog.findFirstOrThrow({ where: { workflowId: id } });
    expect(line).toMatchObject({ outcome: 'failed', errorCode: 'model_error', deploymentId: null });
  });

  it('is rejected with a trigger, without content, and for an unknown workflow', async () => {
    const { workflowId: id } = resultOf(await flows.createWorkflow({ input: { name: 'New' } }));
    const rejected = 'invalid_request';
    expectGraphqlError(await test(id, message('Hi', { triggerId: 'abcdefgh' })), rejected, { param: 'triggerId' });
    expectGraphqlError(await test(id, {}), rejected, { param: 'content' });
    expectGraphqlError(await test(999_999, message('Hi')), 'not_found', { param: 'workflowId' });
  });
});

describe('the settings of a workflow', () => {
  const turn = (deploymentId: string, text: string, fields: object = {}) =>
    service.send('POST', `/v1/runner/${deploymentId}/conversation`, { body: inRest(text, fields) });

  it('applies historyLimit to turns without history_limit', async () => {
    const { deploymentId } = await publishedWorkflow(flows, { historyLimit: 1 });
    const { conversation_id } = (await turn(deploymentId, 'One')).body;
    await turn(deploymentId, 'Two', { conversation_id });
    const results = async (fields: object = {}) => {
      const { body } = await turn(deploymentId, '/history', { conversation_id, ...fields });
      return JSON.parse(body.content);
    };
    expect(await results()).toEqual(['Two', '/history']);
    expect(await results({ history_limit: 10 })).toEqual(['One', 'Two', '/history', '/history']);
    expect(await results({ history_limit: 0 })).toEqual(['/history']);
  });

  it('lets the model call tools maxSteps times before it must reply', async () => {
    const steps = async (maxSteps: number) => {
      const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'New', draft: { maxSteps } } }));
      return resultOf(await test(workflowId, message('/call a {}\n/call b {}\n/call c {}\n/say Done.'))).content;
    };
    expect(await steps(3)).toBe('Done.');
    expect(await steps(16)).toBe('Done.');
    expect(await steps(2)).not.toBe('Done.');
  });
});
