import { expect, it } from 'vitest';
import { isModelName } from '../../src/contract/model-name.ts';
import { ModelError, type ModelRequest } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';

function aRequest(model: string): ModelRequest {
  const { signal } = new AbortController();
  const messages: ModelRequest['messages'] = [{ role: 'user', content: 'Hello' }];
  return { model, instructions: '', messages, tools: [], timeoutMs: 1000, signal };
}

it('runs the demo model without a provider', async () => {
  expect(await createModels({}).step(aRequest('demo'))).toMatchObject({ text: 'You said: Hello', calls: [] });
});

it.each([
  ['openai:gpt-x', 'The model openai:gpt-x needs OPENAI_API_KEY to be set.'],
  ['anthropic:claude-x', 'The model anthropic:claude-x needs ANTHROPIC_API_KEY to be set.'],
  ['openai-compatible:llama-x', 'The model openai-compatible:llama-x needs OPENAI_BASE_URL to be set.'],
])('names the variable that %s is waiting for', async (model, message) => {
  const step = createModels({ openai: { apiKey: '' }, anthropic: {} }).step(aRequest(model));

  await expect(step).rejects.toEqual(new ModelError('failed', message, { reason: 'provider_not_configured' }));
  await expect(step).rejects.toMatchObject({ kind: 'failed', message });
});

it.each(['gpt-x', 'google:gemini-x', 'openai:', 'demo:x', ''])('rejects the unknown model "%s"', async (model) => {
  const step = createModels({ openai: { apiKey: 'key' } }).step(aRequest(model));

  await expect(step).rejects.toMatchObject({
    name: 'ModelError',
    kind: 'failed',
    message: `There is no model ${model}. A model is demo, openai:NAME, anthropic:NAME or openai-compatible:NAME.`,
  });
});

it.each(['demo', 'openai:gpt-x', 'anthropic:claude-x', 'openai-compatible:org/llama:7b'])(
  'takes %s for the name of a model',
  (name) => expect(isModelName(name)).toBe(true),
);

it.each(['', 'demo ', 'Demo', 'gpt-x', 'openai', 'openai:', 'openai: gpt', 'other:gpt-x', 'openai:a\n'])(
  'does not take "%s" for the name of a model',
  (name) => expect(isModelName(name)).toBe(false),
);
