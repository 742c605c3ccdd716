import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgentController, AgentState, ClientToolCall, JsonObject } from '../../src/sdk/index.ts';
import { CAPABLE, lookup } from '../support/agent-turns.ts';
import { answersTo, clientFor, stateOf, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const opened = new Set<AgentController>();
function agent(): AgentController {
  const made = clientFor(service).createAgent();
  opened.add(made);
  return made;
}
afterEach(() => {
  for (const one of opened) one.close();
  opened.clear();
});

const ASK = { content: '/ask\n/complete\n/say Thank you.', clientCapabilities: ['ask_user'] };

describe('SPEC 4.11: client.agent', () => {
  it('starts, waits for ask_user, resolves it and is completed', async () => {
    const own = agent();
    expect(own.getState()).toMatchObject({ status: 'idle', conversationId: null, history: [], error: null });
    const states: AgentState['status'][] = [];
    own.subscribe(({ status }) => states.at(-1) !== status && states.push(status));
    const paused = await own.start(ASK);
    expect(paused).toMatchObject({
      status: 'awaiting_input',
      conversationStatus: 'active',
      runStatus: 'waiting_for_client_action',
      pendingToolCalls: [{ name: 'ask_user' }],
      toolSummary: [{ name: 'ask_user', type: 'client_tool', status: 'pending' }],
      progress: [{ type: 'client_action_required', name: 'ask_user', summary: 'ask_user waits for its result.' }],
    });
    const [call] = paused.pendingToolCalls;
    const done = await own.resolveTool(call?.callId ?? '', answersTo(call?.arguments));
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
    await expect(own.continue()).rejects.toMatchObject({ status: 409, code: 'conversation_completed' });
  });

  it('continues with "Continue." where nothing else is said', async () => {
    const own = agent();
    await own.start({ content: 'Hello' });
    expect(textsOf(await own.continue())).toEqual(['Hello', 'You said: Hello', 'Continue.', 'You said: Continue.']);
  });

  it('reads one snapshot with get, and opens nothing by it', async () => {
    const [own, other] = [agent(), agent()];
    const { conversationId } = await own.start({ content: 'Hello' });
    const read = await other.get(conversationId ?? '');
    expect(read).toEqual(own.getState());
    expect(other.getState()).toMatchObject({ status: 'idle', conversationId: null });
    await expect(other.get('00000000-0000-4000-8000-0000000000ff')).rejects.toMatchObject({
      name: 'ParleyError',
      status: 404,
      code: 'not_found',
      type: 'not_found_error',
      requestId: expect.any(String),
    });
  });

  it('finds the pending actions again after a reload, and resolves them', async () => {
    const { conversationId } = await agent().start(ASK);
    const again = agent();
    const restored = await again.open(conversationId ?? '');
    expect(restored).toMatchObject({ status: 'awaiting_input', pendingToolCalls: [{ name: 'ask_user' }] });
    const [call] = restored.pendingToolCalls;
    expect(await again.resolveTool(call?.callId ?? '', answersTo(call?.arguments))).toMatchObject({
      conversationStatus: 'completed',
    });
  });

  it('submits a round once every call of it is resolved, whatever the order', async () => {
    const own = agent();
    const { pendingToolCalls } = await own.start({
      content: `${lookup('A')} && ${lookup('B')}\n/say both`,
      clientCapabilities: CAPABLE.client_capabilities,
    });
    const [first = '', second = ''] = pendingToolCalls.map(({ callId }) => callId);
    expect(await own.resolveTool(second, { tier: 2 })).toMatchObject({ status: 'awaiting_input' });
    const done = await own.resolveTool(first, { tier: 1 });
    expect(textsOf(done).at(-1)).toBe('both');
    expect(done.history.flatMap((item) => (item.type === 'client_tool' ? [item.output] : []))).toEqual([
      { tier: 1 },
      { tier: 2 },
    ]);
    await expect(own.resolveTool(first, {})).rejects.toMatchObject({ code: 'unknown_call_id' });
  });

  it('says which output was refused, and takes a better one', async () => {
    const own = agent();
    const { pendingToolCalls } = await own.start(ASK);
    const [call] = pendingToolCalls;
    const refused = own.resolveTool(call?.callId ?? '', { answers: [] });
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'invalid_tool_result' });
    expect(own.getState()).toMatchObject({ status: 'error', error: { code: 'invalid_tool_result' } });
    expect(own.getState().pendingToolCalls).toHaveLength(1);
    await own.resolveTool(call?.callId ?? '', answersTo(call?.arguments));
    expect(own.getState()).toMatchObject({ status: 'success', error: null });
  });

  it('runs client tools by itself, each call once, with what it was called with', async () => {
    const own = agent();
    const calls: [JsonObject, ClientToolCall][] = [];
    await own.start({
      content: `${lookup('A')}\n${lookup('B')}\n/say done`,
      clientTools: {
        lookup_customer: (args, call) => {
          calls.push([args, call]);
          return { tier: 'gold' };
        },
      },
    });
    const done = await stateOf(own, ({ status }) => status === 'success');
    expect(textsOf(done).at(-1)).toBe('done');
    expect(calls.map(([args]) => args)).toEqual([{ customer_id: 'A' }, { customer_id: 'B' }]);
    expect(calls[0]?.[1]).toMatchObject({ name: 'lookup_customer', conversationId: done.conversationId });
  });

  it('takes tools with a schema of their own, and leaves a call waiting where its handler fails', async () => {
    const own = agent();
    await own.start({
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
    const failed = await stateOf(own, ({ status }) => status === 'error');
    expect(failed.error).toMatchObject({ code: 'client_tool_failed', message: expect.stringContaining('no dice') });
    const [call] = failed.pendingToolCalls;
    expect(textsOf(await own.resolveTool(call?.callId ?? '', { value: 4 })).at(-1)).toBe('rolled');
  });

  it('stops handlers when it is closed, and begins anew when it is opened again', async () => {
    const own = agent();
    const signals: AbortSignal[] = [];
    const clientTools = {
      lookup_customer: (_args: JsonObject, { signal }: ClientToolCall) => {
        signals.push(signal);
        return new Promise<JsonObject>(() => {});
      },
    };
    const { conversationId } = await own.start({ content: lookup('A'), clientTools });
    expect(signals).toHaveLength(1);
    own.close();
    expect(signals[0]?.aborted).toBe(true);
    expect(own.getState()).toMatchObject({ status: 'closed', conversationId });
    await expect(own.continue()).rejects.toMatchObject({ code: 'invalid_call' });
    await own.open(conversationId ?? '', { clientTools });
    expect(signals).toHaveLength(2);
  });

  it('tells of a turn whose model failed, and goes on after it', async () => {
    const own = agent();
    await expect(own.start({ content: '/fail' })).rejects.toMatchObject({ status: 502, code: 'model_error' });
    expect(own.getState()).toMatchObject({ status: 'error', runStatus: 'failed', error: { code: 'model_error' } });
    expect(await own.continue({ content: 'Better?' })).toMatchObject({ status: 'success', error: null });
    expect(textsOf(own.getState())).toEqual(['/fail', 'Better?', 'You said: Better?']);
  });

  it('starts from a trigger, and continues what was started elsewhere', async () => {
    const client = clientFor(service);
    const own = client.createAgent();
    opened.add(own);
    const body = { content: [{ type: 'text', text: 'From a link' }] };
    const path = '/v1/runner/00000000-0000-4000-8000-000000000002/trigger';
    const { id } = (await service.send('POST', path, { body })).body;
    const { conversationId } = await own.start({ triggerId: id });
    expect(textsOf(own.getState())).toEqual(['From a link', 'You said: From a link']);
    const other = agent();
    const more = await other.start({ conversationId: conversationId ?? '', content: 'More' });
    expect(textsOf(more)).toHaveLength(4);
    await stateOf(own, ({ messages }) => messages.length === 4);
    await expect(agent().start({ triggerId: id })).rejects.toMatchObject({ code: 'trigger_already_used' });
  });
});
