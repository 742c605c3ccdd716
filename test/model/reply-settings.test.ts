import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelPort, ModelRequest } from '../../src/domain/agent/model-port.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { requestWith } from '../support/files.ts';
import { modelsAt } from '../support/provider-models.ts';

let provider: FakeProvider;
let models: ModelPort;
beforeEach(async () => {
  provider = await startFakeProvider();
  models = modelsAt(provider.url);
});
afterEach(() => provider.close());

/** What the provider receives. */
async function sent(model: string, changes: Partial<ModelRequest> = {}): Promise<Readonly<Record<string, unknown>>> {
  provider.reply({ kind: 'answer', deltas: ['Good day.'] });
  await models.step(requestWith(model, [], changes));
  return provider.requests.at(-1)?.body ?? {};
}

const SETTINGS = { maxReplyTokens: 300, temperature: 0.5, stopSequences: ['END', 'User:'] };

describe('the limits and the variety of a reply', () => {
  it.each([
    { model: 'openai:gpt-4.1', body: { max_tokens: 300, temperature: 0.5, stop: ['END', 'User:'] } },
    { model: 'openai:gpt-5', body: { max_completion_tokens: 300, stop: ['END', 'User:'] } },
    { model: 'openai-compatible:any', body: { max_tokens: 300, temperature: 0.5, stop: ['END', 'User:'] } },
    {
      model: 'anthropic:claude-sonnet-4-5',
      body: { max_tokens: 300, temperature: 0.5, stop_sequences: ['END', 'User:'] },
    },
  ])('are sent to $model', async ({ model, body }) => {
    expect(await sent(model, SETTINGS)).toMatchObject(body);
  });

  it.each(['openai:gpt-4.1', 'openai-compatible:any', 'anthropic:claude-sonnet-4-5'])(
    'are the defaults of the provider without settings, for %s',
    async (model) => {
      const body = await sent(model, { stopSequences: [] });
      for (const field of ['temperature', 'stop', 'stop_sequences', 'max_completion_tokens'])
        expect(body).not.toHaveProperty(field);
      expect('max_tokens' in body).toBe(model.startsWith('anthropic:'));
    },
  );

  it('has a temperature that the model takes', async () => {
    expect(await sent('openai:gpt-5', SETTINGS)).not.toHaveProperty('temperature');
    expect(await sent('anthropic:claude-sonnet-4-5', { temperature: 1.5 })).toMatchObject({ temperature: 1 });
    expect(await sent('openai:gpt-4.1', { temperature: 0 })).toMatchObject({ temperature: 0 });
  });

  it.each([
    ['anthropic:claude-sonnet-4-5', 64_000],
    ['anthropic:claude-opus-9', 128_000],
    ['anthropic:claude-3-7-sonnet-latest', 8_192],
    ['anthropic:a-model-of-another-server', 8_192],
  ])("is limited by the model's own number of tokens, for %s", async (model, most) => {
    expect(await sent(model)).toMatchObject({ max_tokens: most });
  });
});
