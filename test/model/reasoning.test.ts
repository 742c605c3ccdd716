import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { NO_USAGE } from '../../src/contract/token-usage.ts';
import type { ModelMessage, ModelPort, ModelRequest, ModelStep } from '../../src/domain/agent/model-port.ts';
import { type FakeProvider, SIGNATURE, startFakeProvider } from '../support/fake-provider.ts';
import { modelsAt } from '../support/provider-models.ts';

let provider: FakeProvider;
let models: ModelPort;
beforeEach(async () => {
  provider = await startFakeProvider();
  models = modelsAt(provider.url);
});
afterEach(() => provider.close());

const CALL = { name: 'look', arguments: '{}' };
const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const QUESTION = { role: 'user', content: 'Hello' } as const;

function step(model: string, changes: Partial<ModelRequest> = {}): Promise<ModelStep> {
  const { signal } = new AbortController();
  const base = { model, instructions: '', messages: [QUESTION], tools: [TOOL], timeoutMs: 30_000, signal };
  return models.step({ ...base, ...changes });
}

/** The messages of the step after one with a call. */
function afterCall({ reasoning = [], text }: ModelStep): ModelMessage[] {
  const call = { toolCallId: 'call_1', toolName: 'look' };
  const said = text === '' ? [] : [{ type: 'text' as const, text }];
  return [
    QUESTION,
    { role: 'assistant', content: [...reasoning, ...said, { type: 'tool-call', ...call, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value: {} } }] },
  ];
}

const bodies = () => provider.requests.map(({ body }) => body);

describe.each(['openai-compatible:any', 'anthropic:claude-test'])('the reasoning of %s', (model) => {
  it('is passed on in pieces, and is no part of the text', async () => {
    provider.reply({ kind: 'answer', thoughts: ['Let me ', 'think.'], deltas: ['Good day.'] });
    const heard: string[] = [];
    const onReasoning = (delta: string) => void heard.push(delta);
    expect((await step(model, { onReasoning })).text).toBe('Good day.');
    expect(heard.join('')).toBe('Let me think.');
  });

  it('reaches nobody without a listener', async () => {
    provider.reply({ kind: 'answer', thoughts: ['Let me think.'], deltas: ['Good day.'] });
    expect((await step(model)).text).toBe('Good day.');
  });

  it('ends at the limit, in whole characters, and the reply continues', async () => {
    const long = 'ö'.repeat(LIMITS.reasoningBytes / 2 - 1);
    provider.reply({ kind: 'answer', thoughts: [long, '1👋', 'more'], deltas: ['Good day.'], calls: [CALL] });
    const heard: string[] = [];
    const onReasoning = (delta: string) => void heard.push(delta);
    const result = await step(model, { onReasoning });
    expect(result.text).toBe('Good day.');
    expect(heard.join('')).toBe(`${long}1`);
    // A part of it would have no valid signature.
    expect(result.reasoning).toBeUndefined();
  });
});

describe('the steps after calls', () => {
  it('send the reasoning back to an OpenAI-compatible server', async () => {
    provider.reply({ kind: 'answer', thoughts: ['I must ', 'look.'], calls: [CALL] });
    const first = await step('openai-compatible:any');
    await step('openai-compatible:any', { messages: afterCall(first) });
    expect(bodies()[1]?.messages).toMatchObject([{}, { role: 'assistant', reasoning_content: 'I must look.' }, {}]);
  });

  it('send the signed reasoning back to Anthropic, and let it think again', async () => {
    provider.reply({ kind: 'answer', thoughts: ['I must ', 'look.'], deltas: ['Wait.'], calls: [CALL] });
    const first = await step('anthropic:claude-sonnet-4-5', { reasoningEffort: 'low' });
    await step('anthropic:claude-sonnet-4-5', { reasoningEffort: 'low', messages: afterCall(first) });
    const [, second] = bodies();
    expect(second).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2_048 } });
    expect((second as { messages: object[] }).messages[1]).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'I must look.', signature: SIGNATURE },
        { type: 'text' },
        { type: 'tool_use' },
      ],
    });
  });

  it('do not let Anthropic think with a budget if the reasoning before the calls is lost', async () => {
    provider.reply({ kind: 'answer', deltas: ['Good day.'] });
    const lost = { text: '', finishReason: null, calls: [], ...NO_USAGE };
    await step('anthropic:claude-sonnet-4-5', { reasoningEffort: 'low', messages: afterCall(lost) });
    expect(bodies()[0]).not.toHaveProperty('thinking');
  });
});

describe('the reasoning effort', () => {
  it.each([
    { model: 'openai:gpt-5', sent: { reasoning_effort: 'high' } },
    { model: 'openai-compatible:any', sent: { reasoning_effort: 'high' } },
    {
      model: 'anthropic:claude-3-7-sonnet-latest',
      sent: { thinking: { type: 'enabled', budget_tokens: 16_384 }, max_tokens: 8_192 + 16_384 },
    },
    {
      model: 'anthropic:claude-opus-4-20250514',
      sent: { thinking: { type: 'enabled', budget_tokens: 16_384 } },
    },
    {
      model: 'anthropic:claude-opus-4-7',
      sent: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    },
  ])('is sent to $model', async ({ model, sent }) => {
    provider.reply({ kind: 'answer', deltas: ['Good day.'] });
    await step(model, { reasoningEffort: 'high' });
    await step(model);
    const [asked, plain] = bodies();
    expect(asked).toMatchObject(sent);
    for (const field of ['reasoning_effort', 'thinking', 'output_config']) expect(plain).not.toHaveProperty(field);
  });
});
