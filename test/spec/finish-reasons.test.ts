import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeReply } from '../support/fake-provider.ts';
import { graphText } from '../support/graph-content.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';

let provided: ProviderService;
let agent: string;
beforeAll(async () => {
  provided = await startProviderService();
  agent = await provided.agent();
});
afterAll(() => provided.close());

const completionWith = (finish?: string): FakeReply => ({
  kind: 'answer',
  deltas: ['Good day.'],
  ...(finish && { finish }),
});
const calls: FakeReply = { kind: 'answer', calls: [{ name: 'tool', arguments: '{}' }] };
const CAPABLE = { client_capabilities: [{ name: 'tool', input_schema: {} }] };

/** Pauses a turn for its client. Returns the body that resumes it. */
async function pausedTurn() {
  provided.provider.reply(calls);
  const { body } = await provided.turn(agent, CAPABLE);
  const tool_results = [{ call_id: body.client_tool_calls[0].call_id, output: {} }];
  return { conversation_id: body.conversation_id, tool_results };
}

const withBody = { content: [{ type: 'text', text: 'Hello' }] };

describe('replies of v1', () => {
  it.each([
    ['a turn', 'v1', '/conversation'],
    ['a one-shot run', 'v1', ''],
    ['a one-shot run of v2', 'v2', ''],
  ])('have the finish reason of %s', async (_what, version, path) => {
    provided.provider.reply(completionWith('length'));
    const { body } = await provided.service.send('POST', `/${version}/runner/${agent}${path}`, { body: withBody });
    expect(body).toMatchObject({ content: 'Good day.', finish_reason: 'length' });
  });

  it.each(['/conversation/stream', '/stream'])('have it in the last event of %s', async (path) => {
    provided.provider.reply(completionWith('length'));
    const headers = { accept: 'text/event-stream' };
    const { body } = await provided.service.send('POST', `/v1/runner/${agent}${path}`, { body: withBody, headers });
    expect(body).toMatch(/event: done\ndata: .*"finish_reason":"length"/);
  });
});

describe('a finished v2 turn', () => {
  it('has empty lists, times, and a finish reason', async () => {
    provided.provider.reply(completionWith());
    const { body } = await provided.turn(agent);
    expect(body).toMatchObject({ run_status: 'completed', client_tool_calls: [], progress: [], finish_reason: 'stop' });
    const { conversation_id, created_at, updated_at } = body;
    const path = `/v2/runner/${agent}/conversation/${conversation_id}/history`;
    const { items } = (await provided.service.send('GET', path)).body;
    expect(created_at).toBe(items[0].created_at);
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(items[1].created_at));
  });

  it.each([
    ['openai-compatible:m', 'stop', 'stop'],
    ['openai-compatible:m', 'length', 'length'],
    ['openai-compatible:m', 'content_filter', 'content_filter'],
    ['openai:m', 'length', 'length'],
    ['anthropic:m', 'end_turn', 'stop'],
    ['anthropic:m', 'max_tokens', 'length'],
    ['anthropic:m', 'refusal', 'content_filter'],
  ])('of %s that ends with %s returns %s', async (model, finish, expected) => {
    const id = await provided.agent({ model });
    provided.provider.reply(completionWith(finish));
    expect((await provided.turn(id)).body.finish_reason).toBe(expected);
  });

  it('has the limits that the workflow sets, also after a pause', async () => {
    const settings = { maxReplyTokens: 300, temperature: 0.5, stopSequences: ['END'] };
    const id = await provided.agent(settings);
    provided.provider.reply(calls, completionWith('length'));
    const { body } = await provided.turn(id, CAPABLE);
    const tool_results = [{ call_id: body.client_tool_calls[0].call_id, output: {} }];
    const resumed = await provided.turn(id, { conversation_id: body.conversation_id, tool_results });
    expect(resumed.body.finish_reason).toBe('length');
    for (const request of provided.provider.requests.slice(-2))
      expect(request.body).toMatchObject({ max_tokens: 300, temperature: 0.5, stop: ['END'] });
  });

  it('returns max_steps if the round used all its steps', async () => {
    const id = await provided.agent({ maxSteps: 2 });
    provided.provider.reply(calls, calls, completionWith());
    expect((await provided.turn(id)).body).toMatchObject({ content: 'Good day.', finish_reason: 'max_steps' });
    provided.provider.reply(calls, completionWith());
    expect((await provided.turn(id)).body.finish_reason).toBe('stop');
  });

  it('returns stopped if the next message interrupted it', async () => {
    const { id } = await makeDeployment(provided.service, {}, { kind: 'agent', doubleTextPolicy: 'interrupt' });
    provided.provider.reply(completionWith());
    const { conversation_id } = (await provided.turn(id)).body;
    provided.provider.reply({ kind: 'stall', deltas: ['Well, '] }, completionWith());
    const requests = provided.provider.nextRequest();
    const stalled = provided.turn(id, { conversation_id });
    await requests;
    expect((await provided.turn(id, { conversation_id })).body.finish_reason).toBe('stop');
    expect((await stalled).body).toMatchObject({ run_status: 'interrupted', finish_reason: 'stopped' });
  });

  it('returns no finish reason if the model failed after results were accepted', async () => {
    const resume = await pausedTurn();
    provided.provider.reply({ kind: 'status', status: 400 });
    const { body } = await provided.turn(agent, resume);
    expect(body).toMatchObject({ run_status: 'interrupted', content: '', finish_reason: null });
  });

  it('returns the same to a repeated resume and with an idempotency key', async () => {
    const resume = await pausedTurn();
    provided.provider.reply(completionWith('length'));
    const path = `/v2/runner/${agent}/conversation`;
    const send = (key: string) =>
      provided.service.send('POST', path, { body: resume, headers: { 'idempotency-key': key } });
    const first = await send('a');
    expect(first.body.finish_reason).toBe('length');
    expect((await send('a')).body).toEqual(first.body);
    const { request_id, ...same } = (await send('b')).body;
    expect(same).toEqual({ ...first.body, request_id: undefined });
  });

  it('has finishReason in GraphQL', async () => {
    provided.provider.reply(completionWith());
    const document = `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename ... on RunAgentTurnPayload { turn {
      ... on FinishedTurn { finishReason } } } ... on Error { code message path } } }`;
    const input = { deploymentId: agent, content: graphText('Hello') };
    const { body } = await provided.service.graphql(document, { input });
    expect(body.data.runAgentTurn.turn).toEqual({ finishReason: 'STOP' });
  });
});
