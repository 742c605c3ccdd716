import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AgentController, createClient } from '../../src/sdk/index.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { stateOf, textsOf } from '../support/sdk.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

const closing = new Set<AgentController>();
afterEach(async () => {
  await Promise.all([...closing].map((one) => one.close()));
  closing.clear();
});

async function openAgent(conversationId: string, deploymentId: string): Promise<AgentController> {
  const { url, key } = provided.service;
  const agent = createClient({ baseUrl: url, apiKey: key, deploymentId }).createAgent();
  closing.add(agent);
  await agent.open(conversationId);
  return agent;
}

it('shows the reasoning while the model thinks, and removes it with the stored message', async () => {
  const at = await provided.agent({ reasoning: 'shown', resourceTools: ['find_resources'] });
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  const id = (await provided.turn(at)).body.conversation_id;
  const agent = await openAgent(id, at);
  const dictation = dictate(provided.provider);
  const response = provided.turn(at, { conversation_id: id });
  dictation.think('Let me ');
  await stateOf(agent, ({ live }) => live?.reasoning === 'Let me ');
  dictation.think('see.');
  const thinking = await stateOf(agent, ({ live }) => live?.reasoning === 'Let me see.');
  expect(thinking.live?.text).toBe('');
  dictation.say('Hello');
  const writing = await stateOf(agent, ({ live }) => live?.text === 'Hello');
  expect(writing.live?.reasoning).toBe('Let me see.');
  dictation.end();
  await response;
  const ended = await stateOf(agent, ({ runStatus }) => runStatus === 'completed');
  expect(ended.live).toBeNull();
  expect(textsOf(ended).at(-1)).toBe('Hello');
});

it('removes the reasoning of a step that only calls tools', async () => {
  const at = await provided.agent({ reasoning: 'shown', resourceTools: ['find_resources'] });
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  const id = (await provided.turn(at)).body.conversation_id;
  const agent = await openAgent(id, at);
  const shownStates = new Set<string>();
  agent.subscribe(({ live, history }) => {
    const hasCall = history.some(({ type }) => type === 'tool');
    if (live?.reasoning && live.text === '') shownStates.add(`${hasCall}`);
  });
  const dictation = dictate(provided.provider, { calls: [{ name: 'find_resources', arguments: '{}' }] });
  const response = provided.turn(at, { conversation_id: id });
  dictation.think('I must look.');
  await stateOf(agent, ({ live }) => live?.reasoning === 'I must look.');
  provided.provider.reply({ kind: 'answer', deltas: ['Nothing.'] });
  dictation.end();
  await response;
  await stateOf(agent, (state) => textsOf(state).at(-1) === 'Nothing.');
  expect([...shownStates]).toEqual(['false']);
});
