import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelPort, ModelRequest } from '../../src/domain/agent/model-port.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { requestWith } from '../support/files.ts';
import { modelsAt } from '../support/provider-models.ts';

let provider: FakeProvider;
let models: ModelPort;
beforeEach(async () => {
  provider = await startFakeProvider();
  models = modelsAt(provider.url);
  provider.reply({ kind: 'answer', deltas: ['Good day.'] });
});
afterEach(() => provider.close());

/** What the provider receives. */
async function sent(model: string, changes: Partial<ModelRequest>): Promise<Readonly<Record<string, unknown>>> {
  await models.step(requestWith(model, [], changes));
  return provider.requests.at(-1)?.body ?? {};
}

const ALL = {
  top_p: 0.9,
  service_tier: 'flex',
  metadata: { user_id: 'u1' },
  top_k: 40,
  verbosity: 'low',
  chat_template_kwargs: { enable_thinking: false, deep: [{ a: null }] },
};
const { top_p, service_tier, metadata, top_k, verbosity } = ALL;

it.each([
  // The adapters would drop `top_p` of a model that reasons, and `flex` of a model that they do not know.
  ['openai:gpt-5', { top_p, service_tier, metadata, verbosity }],
  ['openai:new-model', { top_p, service_tier, metadata, verbosity }],
  ['openai-compatible:any', ALL],
  ['anthropic:claude-sonnet-4-5', { top_p, service_tier, metadata, top_k }],
])('%s gets the parameters that its provider has, as they are', async (model, added) => {
  const { messages, model: name, stream, ...before } = await sent(model, { temperature: 0.5 });
  const body = await sent(model, { temperature: 0.5, modelParameters: ALL });
  expect(body).toEqual({ messages, model: name, stream, ...before, ...added });
});

it.each(['openai:any', 'openai-compatible:any', 'anthropic:claude-sonnet-4-5'])(
  '%s gets no parameter that Parley sets itself',
  async (model) => {
    const fields = { model: 'x', messages: [], tools: [], tool_choice: 'none', stream: false, n: 2, __proto__: 1 };
    const limits = { max_tokens: 1, max_completion_tokens: 1, temperature: 2, stop: 'a', stop_sequences: ['a'] };
    const forms = { response_format: {}, reasoning_effort: 'low', constructor: 1, system: 'x', cache_control: {} };
    const plain = await sent(model, {});
    expect(await sent(model, { modelParameters: { ...fields, ...limits, ...forms } })).toEqual(plain);
  },
);

it('sends parameters of tools only with tools', async () => {
  const modelParameters = { parallel_tool_calls: false };
  const tools = [{ name: 'lookup', description: '', inputSchema: {} }];
  expect(await sent('openai:any', { modelParameters, tools })).toMatchObject(modelParameters);
  expect(await sent('openai:any', { modelParameters })).not.toHaveProperty('parallel_tool_calls');
});

it('adds the parameters to each attempt, and only to its own request', async () => {
  const requests = Array.from({ length: 8 }, (_, seed) => sent('openai-compatible:any', { modelParameters: { seed } }));
  await Promise.all(requests);
  const seeds = provider.requests.map(({ body }) => body.seed);
  expect(seeds.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  provider.reply({ kind: 'status', status: 503, headers: { 'retry-after-ms': '1' } }, { kind: 'answer' });
  await sent('openai-compatible:any', { modelParameters: { seed: 9 } });
  expect(provider.requests.slice(-2).map(({ body }) => body.seed)).toEqual([9, 9]);
  expect(await sent('openai-compatible:any', {})).not.toHaveProperty('seed');
});
