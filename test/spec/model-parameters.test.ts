import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { resultOf } from '../support/results.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

let provided: ProviderService;
let flows: Workflows;
beforeAll(async () => {
  provided = await startProviderService();
  flows = workflowsOf(provided.service);
  provided.provider.reply({ kind: 'answer', deltas: ['Yes.'] });
});
afterAll(() => provided.close());

const create = (draft: object) => flows.createWorkflow({ input: { name: 'New', draft } });

/** The error of a draft, without its code. */
async function errorOf(draft: object): Promise<{ readonly message: string; readonly path: readonly string[] }> {
  const { body } = await create(draft);
  const { message, path } = body.data.createWorkflow;
  return { message, path };
}

const SENT = { top_p: 0.9, logit_bias: { '50256': -100 } };

describe('the model parameters of a draft', () => {
  it.each([
    [
      'openai:gpt-x',
      { stop: ['END'] },
      'has "stop", which is no parameter of models of openai. Allowed: frequency_penalty, ',
    ],
    ['openai:gpt-x', { top_k: 1 }, 'has "top_k", which is no parameter of models of openai.'],
    ['anthropic:claude-x', { seed: 1 }, 'of anthropic. Allowed: metadata, service_tier, top_k, top_p.'],
    ['anthropic:claude-x', { thinking: {} }, 'has "thinking", which is no parameter of models of anthropic.'],
    ['openai-compatible:x', { model: 'y' }, 'has "model", which is no parameter of models of openai-compatible.'],
    [null, { messages: [] }, 'has "messages", which is no parameter of any provider.'],
    ['demo', { constructor: {} }, 'has "constructor", which is no parameter of any provider.'],
    [null, { ['x'.repeat(1_000)]: 1 }, `has "${'x'.repeat(40)}…", which`],
    [null, { top_p: '0.9' }, 'must have a number as "top_p".'],
    [null, { seed: 1.5 }, 'must have a whole number as "seed".'],
    [null, { store: null }, 'must have true or false as "store".'],
    [null, { metadata: ['a'] }, 'must have an object as "metadata".'],
    [null, { user: 7 }, 'must have a text as "user".'],
  ])('are refused for %s: %.60j', async (model, modelParameters, message) => {
    const error = await errorOf({ model, modelParameters });
    expect(error.path).toEqual(['draft', 'modelParameters']);
    expect(error.message).toContain(message);
  });

  it('are bounded', async () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    const metadata = (bytes: number) => ({ user: 'x'.repeat(bytes - '{"user":""}'.length) });
    const { modelParametersBytes: bytes, modelParameterLevels: levels, modelParameters: count } = LIMITS;
    expect((await create({ modelParameters: metadata(bytes) })).body.data.createWorkflow).toHaveProperty('workflow');
    expect((await errorOf({ modelParameters: metadata(bytes + 1) })).message).toContain('at most 4 KiB of JSON');
    const deepest = await create({ modelParameters: { metadata: nested(levels - 1) } });
    expect(deepest.body.data.createWorkflow).toHaveProperty('workflow');
    expect((await errorOf({ modelParameters: { metadata: nested(levels) } })).message).toContain('at most 5 levels');
    const many = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`p${index}`, 1]));
    expect((await errorOf({ modelParameters: many(count) })).message).toContain('has "p0"');
    expect((await errorOf({ modelParameters: many(count + 1) })).message).toContain('at most 32 parameters');
  });

  it('must be parameters of a new model, too, and null removes them', async () => {
    const draft = { model: 'openai-compatible:x', modelParameters: { top_k: 40 } };
    const { workflowId } = resultOf(await create(draft));
    const changed = await flows.updateWorkflow({ id: workflowId, input: { draft: { model: 'openai:gpt-x' } } });
    expect(changed.body.data.updateWorkflow.message).toContain('has "top_k"');
    const input = { draft: { model: 'openai:gpt-x', modelParameters: null } };
    expect(resultOf(await flows.updateWorkflow({ id: workflowId, input })).draft.modelParameters).toBeNull();
  });

  it('are part of the version, and of each request of its turns', async () => {
    const { provider, service } = provided;
    const draft = { model: 'openai-compatible:x', modelParameters: SENT };
    const { workflowId, deploymentId } = await publishedWorkflow(flows, draft);
    resultOf(await flows.updateWorkflow({ id: workflowId, input: { draft: { modelParameters: { top_p: 0.1 } } } }));
    const path = `/v1/runner/${deploymentId}/conversation`;
    const { status } = await service.send('POST', path, { body: { content: textContent('Hello') } });
    expect([status, provider.requests.at(-1)?.body]).toMatchObject([200, SENT]);
    const changes = await service.graphql(
      'query ($id: ID!) { workflowVersionDiff(workflowId: $id, from: 1) { path before after } }',
      { id: workflowId },
    );
    expect(JSON.stringify(changes.body)).toContain('modelParameters');
  });

  it('are left out for a model whose provider does not have them', async () => {
    const { provider } = provided;
    const draft = { model: null, modelParameters: { top_k: 40, seed: 7, metadata: { user_id: 'u1' } } };
    const { workflowId } = resultOf(await create(draft));
    resultOf(await flows.testDraft({ id: workflowId, input: { content: [{ text: 'Hello' }] } }));
    expect(provider.requests.at(-1)?.body).toMatchObject({ top_k: 40, seed: 7 });
    const input = { draft: { modelParameters: { top_k: 40, metadata: { user_id: 'u1' } }, model: 'anthropic:x' } };
    resultOf(await flows.updateWorkflow({ id: workflowId, input }));
    resultOf(await flows.testDraft({ id: workflowId, input: { content: [{ text: 'Hello' }] } }));
    expect(provider.requests.at(-1)?.body).toMatchObject({ top_k: 40, metadata: { user_id: 'u1' } });
  });
});
