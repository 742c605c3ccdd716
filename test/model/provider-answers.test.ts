import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_USAGE } from '../../src/contract/token-usage.ts';
import type { ModelPort, ModelRequest } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';

const WEATHER = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

let provider: FakeProvider;
let models: ModelPort;

beforeEach(async () => {
  provider = await startFakeProvider();
  models = createModels({
    openai: { apiKey: 'openai-key', baseUrl: provider.url },
    anthropic: { apiKey: 'anthropic-key', baseUrl: provider.url },
  });
});

afterEach(() => provider.close());

function aRequest(model: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    instructions: 'Be kind.',
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

describe.each(['openai:gpt-test', 'anthropic:claude-test', 'openai-compatible:any-test'])('%s', (model) => {
  it('returns the text, no calls, and the token counts of the provider', async () => {
    provider.reply({ kind: 'answer', deltas: ['Good ', 'day.'], usage: { input: 12, output: 3 } });

    const step = await models.step(aRequest(model));

    const usage = { ...NO_USAGE, inputTokens: 12, outputTokens: 3 };
    expect(step).toEqual({ text: 'Good day.', finishReason: 'stop', calls: [], ...usage });
  });

  it('returns zero tokens if the provider reports no counts', async () => {
    provider.reply({ kind: 'answer', deltas: ['Good day.'] });

    expect(await models.step(aRequest(model))).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('streams the text and waits for the listener between pieces', async () => {
    provider.reply({ kind: 'answer', deltas: ['one ', 'two ', 'three'] });
    const heard: string[] = [];

    const step = await models.step(aRequest(model), async (delta) => {
      heard.push(`take ${delta}`);
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(`took ${delta}`);
    });

    expect(step.text).toBe('one two three');
    // Pieces that arrive together are one piece.
    const taken = heard.filter((line) => line.startsWith('take ')).map((line) => line.slice(5));
    expect(taken.join('')).toBe(step.text);
    expect(heard).toEqual(taken.flatMap((piece) => [`take ${piece}`, `took ${piece}`]));
  });

  it('returns the calls of the model, in order, with its text', async () => {
    provider.reply({
      kind: 'answer',
      deltas: ['Let me look.'],
      calls: [
        { name: 'get_weather', arguments: '{"city":"Bern"}' },
        { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      ],
      usage: { input: 20, output: 9 },
    });

    const step = await models.step(aRequest(model, { tools: [WEATHER] }));

    expect(step).toEqual({
      text: 'Let me look.',
      finishReason: null,
      calls: [
        { name: 'get_weather', arguments: { city: 'Bern' } },
        { name: 'get_weather', arguments: { city: 'Oslo' } },
      ],
      ...NO_USAGE,
      inputTokens: 20,
      outputTokens: 9,
    });
  });

  it.each(['{"city":', '"Bern"', '["Bern"]', '7'])(
    'tells the model what is wrong with the arguments %s instead of calling with them',
    async (json) => {
      provider.reply({ kind: 'answer', calls: [{ name: 'get_weather', arguments: json }] });

      const { calls } = await models.step(aRequest(model, { tools: [WEATHER] }));

      const unreadable = 'The arguments for get_weather must be one valid JSON object.';
      expect(calls).toEqual([{ name: 'get_weather', arguments: {}, unreadable }]);
    },
  );

  it('explains to the model that a tool was not offered', async () => {
    provider.reply({ kind: 'answer', calls: [{ name: 'invented', arguments: '{}' }] });

    const { calls } = await models.step(aRequest(model, { tools: [WEATHER] }));

    expect(calls).toEqual([{ name: 'invented', arguments: {}, unreadable: 'There is no tool named invented.' }]);
  });

  it.each(['', ' ', 'null'])('accepts a call with the empty arguments "%s"', async (json) => {
    provider.reply({ kind: 'answer', calls: [{ name: 'get_weather', arguments: json }] });

    const { calls } = await models.step(aRequest(model, { tools: [WEATHER] }));

    expect(calls).toEqual([{ name: 'get_weather', arguments: {} }]);
  });

  it('writes nothing to the console', async () => {
    const written = (['log', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level));
    provider.reply({ kind: 'status', status: 400 }, { kind: 'answer', deltas: ['Yes.'] });

    await models.step(aRequest(model)).catch(() => {});
    await models.step(aRequest(model, { instructions: 'The user is in a hurry.' }));

    expect(written.flatMap((spy) => spy.mock.calls)).toEqual([]);
  });

  it('sends no empty system prompt and no empty list of tools', async () => {
    provider.reply({ kind: 'answer', deltas: ['Yes.'] });

    await models.step(aRequest(model, { instructions: '' }));

    const body = provider.requests[0]?.body;
    expect(body).not.toHaveProperty('system');
    expect(body).not.toHaveProperty('tools');
    expect(body?.messages).toMatchObject([{ role: 'user' }]);
  });
});

const CONVERSATION: Partial<ModelRequest> = {
  tools: [WEATHER],
  messages: [
    { role: 'user', content: 'How is it in Bern?' },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'call_9', toolName: 'get_weather', input: { city: 'Bern' } }],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'call_9', toolName: 'get_weather', output: { type: 'json', value: 'sun' } },
      ],
    },
  ],
};

/** The call ID of the service, as Mistral demands it. */
const NINE = expect.stringMatching(/^[a-z0-9]{9}$/);

describe('the request to a provider', () => {
  it.each(['openai:gpt-test', 'openai-compatible:gpt-test'])(
    'is one streamed chat completion that asks for token counts, from %s',
    async (model) => {
      provider.reply({ kind: 'answer', deltas: ['Sunny.'] });

      await models.step(aRequest(model, CONVERSATION));

      const [request] = provider.requests;
      expect(request).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: 'Bearer openai-key' } });
      expect(request?.body).toMatchObject({
        model: 'gpt-test',
        stream: true,
        stream_options: { include_usage: true },
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: WEATHER.inputSchema } }],
      });
      expect(request?.body.messages).toMatchObject([
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'How is it in Bern?' },
        { role: 'assistant', tool_calls: [{ id: NINE, function: { arguments: '{"city":"Bern"}' } }] },
        { role: 'tool', tool_call_id: NINE, content: '"sun"' },
      ]);
    },
  );

  it('is one streamed message with a token limit, for anthropic', async () => {
    provider.reply({ kind: 'answer', deltas: ['Sunny.'] });

    await models.step(aRequest('anthropic:claude-test', CONVERSATION));

    const [request] = provider.requests;
    expect(request).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'anthropic-key' } });
    expect(request?.body).toMatchObject({
      model: 'claude-test',
      stream: true,
      max_tokens: 128_000,
      system: [{ type: 'text', text: 'Be kind.' }],
      tools: [{ name: 'get_weather', input_schema: WEATHER.inputSchema }],
    });
    expect(request?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: NINE, input: { city: 'Bern' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: NINE }] },
    ]);
  });

  it('contains the output schema, for openai, and nothing about it without a schema', async () => {
    const outputSchema = { type: 'object', properties: { mood: { type: 'string' } } };
    provider.reply({ kind: 'answer', deltas: [`{"mood":"good"}`] });
    const step = await models.step(aRequest('openai:gpt-test', { outputSchema }));
    expect(step.text).toBe(`{"mood":"good"}`);
    const [request] = provider.requests;
    expect(request?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: outputSchema, strict: false },
    });
    await models.step(aRequest('openai:gpt-test'));
    expect(provider.requests[1]?.body).not.toHaveProperty('response_format');
  });

  it('contains no key for an openai-compatible server without a key', async () => {
    provider.reply({ kind: 'answer', deltas: ['Yes.'] });

    await createModels({ openai: { baseUrl: provider.url } }).step(aRequest('openai-compatible:any-test'));

    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
