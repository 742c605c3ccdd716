import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Count } from '../support/fake-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';

let provided: ProviderService;
const agents: Record<string, string> = {};
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

const MODELS = ['openai-compatible:m', 'openai:m', 'anthropic:m'] as const;

/** The maximum stored value. */
const MOST = 2_147_483_647;

async function agentOf(model: string): Promise<string> {
  agents[model] ??= await provided.agent({ model });
  return agents[model];
}

describe.each(MODELS)('the token counts of %s', (model) => {
  it.each<[string, Count, number]>([
    ['a fraction', 1.5, 2],
    ['more than an int4', 2 ** 31, MOST],
    ['more than 2^53', 2 ** 60, MOST],
    ['more than a double', 'raw:1e999', MOST],
  ])('never lose a reply: %s', async (_description, count, stored) => {
    provided.provider.reply({ kind: 'answer', deltas: ['Good day.'], usage: { input: count, output: count } });
    const { status, body } = await provided.turn(await agentOf(model));
    expect([status, body.content]).toEqual([200, 'Good day.']);
    expect([body.input_tokens, body.output_tokens]).toEqual([stored, stored]);
  });

  it.each<[string, Count, Count]>([
    ['a negative number', -7, -7],
    ['a text', 'raw:"12"', 'raw:"12"'],
    ['null', 'raw:null', 'raw:null'],
    ['no tokens of the prompt', 0, 50],
    ['no tokens of the text', 100, 0],
  ])('are estimated if they are no count: %s', async (_description, input, output) => {
    provided.provider.reply({ kind: 'answer', deltas: ['Good day.'], usage: { input, output } });
    const { status, body } = await provided.turn(await agentOf(model));
    expect([status, body.content, body.output_tokens]).toEqual([200, 'Good day.', output === 50 ? 50 : 3]);
    if (input === 100) expect(body.input_tokens).toBe(100);
    else expect(body.input_tokens).toBeGreaterThan(10);
  });

  it('never lose a reply if their sum is too high', async () => {
    const usage = { input: MOST, output: MOST };
    const call = { name: 'nothing', arguments: '{}' };
    provided.provider.reply({ kind: 'answer', calls: [call], usage }, { kind: 'answer', deltas: ['Good day.'], usage });
    const { body } = await provided.turn(await agentOf(model));
    expect(body).toMatchObject({ content: 'Good day.', input_tokens: MOST, output_tokens: MOST });
  });
});
