import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelPort, ModelRequest, ModelStep } from '../../src/domain/agent/model-port.ts';
import { type FakeProvider, type FakeReply, startFakeProvider } from '../support/fake-provider.ts';
import { requestWith } from '../support/files.ts';
import { modelsAt } from '../support/provider-models.ts';

let provider: FakeProvider;
let models: ModelPort;
beforeEach(async () => {
  provider = await startFakeProvider();
  models = modelsAt(provider.url);
});
afterEach(() => provider.close());

const CLAUDE = 'anthropic:claude-sonnet-4-5';
const MODELS = ['openai:gpt-4.1', 'openai-compatible:any', CLAUDE];
const GOOD: FakeReply = { kind: 'answer', deltas: ['Good day.'], usage: { input: 3, output: 2 } };
const REFUSED: FakeReply = { kind: 'status', status: 400 };
const LOOKUP = { name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object', properties: {} } };
const NO_CALLS: Partial<ModelRequest> = { tools: [LOOKUP], toolChoice: 'none' };
const CACHED: Partial<ModelRequest> = { cachesPrompt: true };

const ask = (model: string, changes: Partial<ModelRequest>): Promise<ModelStep> =>
  models.step(requestWith(model, [], changes));

const bodies = () => provider.requests.map(({ body }) => body);

describe('a request whose prompt is cached', () => {
  it('has one instruction for the whole request at Anthropic, and nothing at others', async () => {
    provider.reply(GOOD);
    for (const model of MODELS) await ask(model, CACHED);
    expect(bodies().map((body) => body.cache_control)).toEqual([undefined, undefined, { type: 'ephemeral' }]);
    expect(JSON.stringify(bodies()).match(/cache_control/g)).toHaveLength(1);
  });

  it('has the instruction next to reasoning', async () => {
    provider.reply(GOOD);
    await ask(CLAUDE, { ...CACHED, reasoningEffort: 'low' });
    expect(bodies()).toMatchObject([{ cache_control: { type: 'ephemeral' }, thinking: { type: 'enabled' } }]);
  });

  it('is not cached unless a later request continues it', async () => {
    provider.reply(GOOD);
    await ask(CLAUDE, {});
    expect(bodies()[0]).not.toHaveProperty('cache_control');
  });

  it.each([400, 422])('is sent once more to a server that refuses the instruction with %i', async (status) => {
    provider.reply({ kind: 'status', status }, GOOD);
    for (let step = 0; step < 3; step += 1) expect((await ask(CLAUDE, CACHED)).text).toBe('Good day.');
    expect(bodies().map((body) => 'cache_control' in body)).toEqual([true, false, false, false]);
    // Of another model, the process knows nothing.
    await ask('anthropic:other', CACHED);
    expect(bodies().at(-1)).toHaveProperty('cache_control');
  });

  it('keeps the instruction if its absence does not help', async () => {
    provider.reply(REFUSED, REFUSED, GOOD);
    await expect(ask(CLAUDE, CACHED)).rejects.toThrow('refused the request');
    await ask(CLAUDE, CACHED);
    expect(bodies().map((body) => 'cache_control' in body)).toEqual([true, false, true]);
  });

  it('is not sent once more if the server has taken the instruction before', async () => {
    provider.reply(GOOD, REFUSED);
    await ask(CLAUDE, CACHED);
    await expect(ask(CLAUDE, CACHED)).rejects.toThrow('refused the request');
    expect(bodies()).toHaveLength(2);
  });

  it('is not sent once more if it is too long', async () => {
    provider.reply({ kind: 'status', status: 400, body: 'prompt is too long: 210000 tokens > 200000 maximum' });
    await expect(ask(CLAUDE, CACHED)).rejects.toThrow('too long for the model');
    expect(bodies()).toHaveLength(1);
  });
});

describe.each(MODELS)('a request without calls to %s', (model) => {
  const noCalls = model === CLAUDE ? { type: 'none' } : 'none';
  const calls = [{ name: 'lookup', arguments: '{}' }];

  it('has the same tools as the requests before', async () => {
    provider.reply(GOOD);
    await ask(model, { tools: [LOOKUP] });
    await ask(model, NO_CALLS);
    const [first, second] = bodies();
    expect(second?.tools).toEqual(first?.tools);
    expect(second?.tool_choice).toEqual(noCalls);
  });

  it('is sent once more without tools if the server refuses the choice', async () => {
    provider.reply(REFUSED, GOOD);
    for (let step = 0; step < 2; step += 1) expect((await ask(model, NO_CALLS)).text).toBe('Good day.');
    expect(bodies().map((body) => 'tools' in body)).toEqual([true, false, false]);
    expect(bodies().map((body) => 'tool_choice' in body)).toEqual([true, false, false]);
  });

  it('is sent once more without tools if the model calls one instead of replying', async () => {
    provider.reply({ kind: 'answer', calls, usage: { input: 5, output: 7 } }, GOOD);
    const step = await ask(model, NO_CALLS);
    expect(step).toMatchObject({ text: 'Good day.', calls: [], inputTokens: 8, outputTokens: 9 });
    await ask(model, NO_CALLS);
    expect(bodies().map((body) => 'tools' in body)).toEqual([true, false, false]);
    // Other requests still have tools.
    await ask(model, { tools: [LOOKUP] });
    expect(bodies().at(-1)).toHaveProperty('tools');
  });

  it('keeps the text of a model that also calls a tool', async () => {
    provider.reply({ kind: 'answer', deltas: ['Good day.'], calls });
    expect((await ask(model, NO_CALLS)).text).toBe('Good day.');
    expect(bodies()).toHaveLength(1);
  });
});
