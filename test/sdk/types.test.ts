import { describe, expectTypeOf, it } from 'vitest';
import { type AgentState, createClient, type HistoryItem, ParleyError } from '../../src/sdk/index.ts';
import { useAgent, useConversation, useTrigger } from '../../src/sdk/react/index.ts';

const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
const { agent, conversation, trigger } = client;

/** Never runs. The compiler reports a marked line that has no error. */
function neverRun(): void {
  void agent.start({ content: 'Hi', clientTools: { roll: () => ({ value: 4 }) }, clientCapabilities: ['ask_user'] });
  void agent.start({ content: [{ type: 'url', mimeType: 'image/png', fileUri: 'https://example.com/a.png' }] });
  void agent.start({ triggerId: 'abcdefgh', variables: { NAME: 'Ann' }, meta: { vip: true, n: 1 } });
  void agent.start({ clientTools: { roll: { inputSchema: {}, handler: async ({ sides }) => ({ sides }) } } });
  void conversation.list({ meta: { shop: 'north' } });
  void trigger.create({ content: 'Hi', ttlHours: null });
  // @ts-expect-error a client needs a baseUrl
  createClient({});
  // @ts-expect-error content is a text or parts
  void agent.start({ content: 42 });
  // @ts-expect-error a part has the fields of its type
  void agent.start({ content: [{ type: 'text', mimeType: 'text/plain' }] });
  // @ts-expect-error variables are strings
  void agent.start({ content: 'Hi', variables: { NAME: 1 } });
  // @ts-expect-error an output is an object
  void agent.resolveTool('call', 'done');
  // @ts-expect-error a handler's output is an object
  void agent.start({ clientTools: { roll: () => 4 } });
  // @ts-expect-error no method accepts a run
  void agent.open('id', { runId: 'run' });
  // @ts-expect-error a trigger has content
  void trigger.create({ ttlHours: 1 });
  // @ts-expect-error states are immutable
  agent.getState().status = 'idle';
  // @ts-expect-error lists in states are immutable
  agent.getState().messages.push();
}

describe('the public types', () => {
  it('accept valid arguments and reject invalid ones', () => {
    expectTypeOf(neverRun).returns.toBeVoid();
    expectTypeOf(agent.start).returns.resolves.toEqualTypeOf<AgentState>();
    expectTypeOf(agent.close).returns.toBeVoid();
    expectTypeOf(agent.subscribe).returns.toEqualTypeOf<() => void>();
  });

  it('declare every field of AgentState', () => {
    expectTypeOf<keyof AgentState>().toEqualTypeOf<
      | 'conversationId'
      | 'conversationStatus'
      | 'runId'
      | 'runStatus'
      | 'finishReason'
      | 'live'
      | 'messages'
      | 'history'
      | 'historyPageInfo'
      | 'messagesPageInfo'
      | 'pendingToolCalls'
      | 'toolSummary'
      | 'progress'
      | 'handling'
      | 'status'
      | 'error'
    >();
    expectTypeOf<AgentState['error']>().toEqualTypeOf<ParleyError | null>();
    expectTypeOf<HistoryItem['type']>().toEqualTypeOf<
      'message' | 'tool' | 'action' | 'client_tool' | 'handling' | 'conversation_completed'
    >();
  });

  it('declare the error codes', () => {
    expectTypeOf<'run_in_progress' | 'connection_error'>().toExtend<ParleyError['code']>();
    expectTypeOf<'no_such_code'>().not.toExtend<ParleyError['code']>();
    expectTypeOf(ParleyError).toBeConstructibleWith({ code: 'aborted', message: 'why' });
  });

  it('give hooks the properties in the specification', () => {
    expectTypeOf(useConversation).returns.toHaveProperty('conversation');
    for (const name of ['id', 'status', 'live', 'data', 'messages', 'conversations'] as const) {
      expectTypeOf(useConversation).returns.toHaveProperty(name);
    }
    expectTypeOf(useAgent).returns.toExtend<AgentState>();
    expectTypeOf(useAgent).parameter(0).toEqualTypeOf(client);
    expectTypeOf(useTrigger).returns.toHaveProperty('trigger');
  });
});
