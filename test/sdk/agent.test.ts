import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentState, ClientToolCall, JsonObject } from '../../src/sdk/index.ts';
import { CAPABLE, lookup } from '../support/agent-turns.ts';
import { agentFactory, answersTo, stateOf, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const createAgent = agentFactory(() => service);

const ASK = { content: '/ask\n/complete\n/say Thank you.', clientCapabilities: ['ask_user'] };

describe('client.agent', () => {
  it('starts a turn, resolves ask_user and completes the conversation', async () => {
    const agent = createAgent();
    expect(agent.getState()).toMatchObject({ status: 'idle', conversationId: null, history: [], error: null });
    const states: AgentState['status'][] = [];
    agent.subscribe(({ status }) => states.at(-1) !== status && states.push(status));
    const paused = await agent.start(ASK);
    expect(paused).toMatchObject({
      status: 'awaiting_input',
      conversationStatus: 'active',
      runStatus: 'waiting_for_client_action',
      pendingToolCalls: [{ name: 'ask_user' }],
      toolSummary: [{ name: 'ask_user', type: 'client_tool', status: 'pending' }],
      progress: [{ type: 'client_action_required', name: 'ask_user', summary: 'ask_user waits for its result.' }],
    });
    const [call] = paused.pendingToolCalls;
    const done = await agent.resolveTool(call?.callId ?? '', answersTo(call?.arguments));
    expect(done).toMatchObject({
      status: 'success',
      conversationStatus: 'completed',
      runId: paused.runId,
      runStatus: 'completed',
      pendingToolCalls: [],
      progress: [],
    });
    expect(done.history.map(({ type }) => type)).toEqual([
      'message',
      'client_tool',
      'tool',
      'message',
      'conversation_completed',
    ]);
    expect(textsOf(done)).toEqual([ASK.content, 'Thank you.']);
    expect(states).toEqual(['running', 'awaiting_input', 'running', 'success']);
    await expect(agent.continue()).rejects.toMatchObject({ status: 409, code: 'conversation_completed' });
  });

  it('sends "Continue." by default', async () => {
    const agent = createAgent();
    await agent.start({ content: 'Hello' });
    expect(textsOf(await agent.continue())).toEqual(['Hello', 'You said: Hello', 'Continue.', 'You said: Continue.']);
  });

  it('get reads one snapshot and opens nothing', async () => {
    const [first, second] = [createAgent(), createAgent()];
    const { conversationId } = await first.start({ content: 'Hello' });
    const read = await second.get(conversationId ?? '');
    expect(read).toEqual(first.getState());
    expect(second.getState()).toMatchObject({ status: 'idle', conversationId: null });
    await expect(second.get('00000000-0000-4000-8000-0000000000ff')).rejects.toMatchObject({
      name: 'ParleyError',
      status: 404,
      code: 'not_found',
      type: 'not_found_error',
      requestId: expect.any(String),
    });
  });

  it('open restores pending calls after a reload and resolves them', async () => {
    const { conversationId } = await createAgent().start(ASK);
    const reopened = createAgent();
    const restored = await reopened.open(conversationId ?? '');
    expect(restored).toMatchObject({ status: 'awaiting_input', pendingToolCalls: [{ name: 'ask_user' }] });
    const [call] = restored.pendingToolCalls;
    expect(await reopened.resolveTool(call?.callId ?? '', answersTo(call?.arguments))).toMatchObject({
      conversationStatus: 'completed',
    });
  });

  it('sends a round when every call has an output, in any order', async () => {
    const agent = createAgent();
    const { pendingToolCalls } = await agent.start({
      content: `${lookup('A')} && ${lookup('B')}\n/say both`,
      clientCapabilities: CAPABLE.client_capabilities,
    });
    const [first = '', second = ''] = pendingToolCalls.map(({ callId }) => callId);
    expect(await agent.resolveTool(second, { tier: 2 })).toMatchObject({ status: 'awaiting_input' });
    const done = await agent.resolveTool(first, { tier: 1 });
    expect(textsOf(done).at(-1)).toBe('both');
    expect(done.history.flatMap((item) => (item.type === 'client_tool' ? [item.output] : []))).toEqual([
      { tier: 1 },
      { tier: 2 },
    ]);
    await expect(agent.resolveTool(first, {})).rejects.toMatchObject({ code: 'unknown_call_id' });
  });

  it('reports a rejected output and accepts a corrected one', async () => {
    const agent = createAgent();
    const { pendingToolCalls } = await agent.start(ASK);
    const [call] = pendingToolCalls;
    const rejected = agent.resolveTool(call?.callId ?? '', { answers: [] });
    await expect(rejected).rejects.toMatchObject({ status: 400, code: 'invalid_tool_result' });
    expect(agent.getState()).toMatchObject({ status: 'error', error: { code: 'invalid_tool_result' } });
    expect(agent.getState().pendingToolCalls).toHaveLength(1);
    await agent.resolveTool(call?.callId ?? '', answersTo(call?.arguments));
    expect(agent.getState()).toMatchObject({ status: 'success', error: null });
  });

  it('runs the handler of each call once with its arguments', async () => {
    const agent = createAgent();
    const calls: [JsonObject, ClientToolCall][] = [];
    await agent.start({
      content: `${lookup('A')}\n${lookup('B')}\n/say done`,
      clientTools: {
        lookup_customer: (args, call) => {
          calls.push([args, call]);
          return { tier: 'gold' };
        },
      },
    });
    const done = await stateOf(agent, ({ status }) => status === 'success');
    expect(textsOf(done).at(-1)).toBe('done');
    expect(calls.map(([args]) => args)).toEqual([{ customer_id: 'A' }, { customer_id: 'B' }]);
    expect(calls[0]?.[1]).toMatchObject({ name: 'lookup_customer', conversationId: done.conversationId });
  });

  it('connects tools with a schema and keeps a call pending when its handler throws', async () => {
    const agent = createAgent();
    await agent.start({
      content: '/call roll {"sides":6}\n/say rolled',
      clientTools: {
        roll: {
          inputSchema: { type: 'object', properties: { sides: { type: 'integer' } } },
          handler: () => {
            throw new Error('no dice');
          },
        },
      },
    });
    const failed = await stateOf(agent, ({ status }) => status === 'error');
    expect(failed.error).toMatchObject({ code: 'client_tool_failed', message: expect.stringContaining('no dice') });
    const [call] = failed.pendingToolCalls;
    expect(textsOf(await agent.resolveTool(call?.callId ?? '', { value: 4 })).at(-1)).toBe('rolled');
  });

  it('aborts handlers on close and runs them again on open', async () => {
    const agent = createAgent();
    const signals: AbortSignal[] = [];
    const clientTools = {
      lookup_customer: (_args: JsonObject, { signal }: ClientToolCall) => {
        signals.push(signal);
        return new Promise<JsonObject>(() => {});
      },
    };
    const { conversationId } = await agent.start({ content: lookup('A'), clientTools });
    expect(signals).toHaveLength(1);
    agent.close();
    expect(signals[0]?.aborted).toBe(true);
    expect(agent.getState()).toMatchObject({ status: 'closed', conversationId });
    await expect(agent.continue()).rejects.toMatchObject({ code: 'invalid_call' });
    await agent.open(conversationId ?? '', { clientTools });
    expect(signals).toHaveLength(2);
  });

  it('reports a turn whose model failed and takes the next one', async () => {
    const agent = createAgent();
    await expect(agent.start({ content: '/fail' })).rejects.toMatchObject({ status: 502, code: 'model_error' });
    expect(agent.getState()).toMatchObject({ status: 'error', runStatus: 'failed', error: { code: 'model_error' } });
    expect(await agent.continue({ content: 'Better?' })).toMatchObject({ status: 'success', error: null });
    expect(textsOf(agent.getState())).toEqual(['/fail', 'Better?', 'You said: Better?']);
  });

  it('starts from a trigger and continues a conversation of another controller', async () => {
    const agent = createAgent();
    const body = { content: [{ type: 'text', text: 'From a link' }] };
    const path = '/v1/runner/00000000-0000-4000-8000-000000000002/trigger';
    const { id } = (await service.send('POST', path, { body })).body;
    const { conversationId } = await agent.start({ triggerId: id });
    expect(textsOf(agent.getState())).toEqual(['From a link', 'You said: From a link']);
    const other = createAgent();
    const more = await other.start({ conversationId: conversationId ?? '', content: 'More' });
    expect(textsOf(more)).toHaveLength(4);
    await stateOf(agent, ({ messages }) => messages.length === 4);
    await expect(createAgent().start({ triggerId: id })).rejects.toMatchObject({ code: 'trigger_already_used' });
  });
});
