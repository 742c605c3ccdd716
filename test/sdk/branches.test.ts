import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AgentController, createClient, type ParleyClient } from '../../src/sdk/index.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { stateOf, textsOf } from '../support/sdk.ts';
import { replyWith } from '../support/talk.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({
    clientTools: [{ name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } }],
  });
});
afterAll(() => provided.close());

const opened = new Set<AgentController>();
afterEach(() => {
  for (const agent of opened) agent.close();
  opened.clear();
});

function clientOf(): ParleyClient {
  const { url, key } = provided.service;
  return createClient({ baseUrl: url, apiKey: key, deploymentId });
}

function createAgent(): AgentController {
  const agent = clientOf().createAgent();
  opened.add(agent);
  return agent;
}

/** Another tab with the same conversation. */
async function secondTab(agent: AgentController): Promise<AgentController> {
  const other = createAgent();
  await other.open(agent.getState().conversationId ?? '');
  return other;
}

/** An agent with a conversation of these messages. The reply to a message is its text in capitals. */
async function agentWith(...said: readonly string[]): Promise<AgentController> {
  const agent = createAgent();
  for (const [index, content] of said.entries()) {
    provided.provider.reply(replyWith(content.toUpperCase()));
    await (index === 0 ? agent.start({ content }) : agent.continue({ content }));
  }
  return agent;
}

const messageAt = (agent: AgentController, index: number) => {
  const message = agent.getState().messages.at(index);
  if (!message) throw new Error(`There is no message ${index}.`);
  return message;
};

const shows = (agent: AgentController, ...texts: readonly string[]) =>
  stateOf(agent, (state) => JSON.stringify(textsOf(state)) === JSON.stringify(texts) && state.status === 'success');

describe('agent.regenerate', () => {
  it('replaces the reply while the new one is written, in this tab and in another one', async () => {
    const agent = await agentWith('one', 'two');
    const other = await secondTab(agent);
    const asked = messageAt(agent, 2).id;
    const dictation = dictate(provided.provider);
    const again = agent.regenerate();
    expect(agent.getState()).toMatchObject({ status: 'running', error: null });
    dictation.say('TWO ');
    for (const tab of [agent, other]) {
      const { messages } = await stateOf(tab, ({ live }) => live?.text === 'TWO ');
      expect(textsOf({ messages })).toEqual(['one', 'ONE', 'two']);
    }
    dictation.say('AGAIN');
    dictation.end();
    const done = await again;
    expect(textsOf(done)).toEqual(['one', 'ONE', 'two', 'TWO AGAIN']);
    expect(done).toMatchObject({ status: 'success', live: null });
    expect(done.messages[2]?.id).toBe(asked);
    await shows(other, 'one', 'ONE', 'two', 'TWO AGAIN');
  });

  it('keeps the text so far if the turn is stopped, and runs again after that', async () => {
    const agent = await agentWith('one');
    const dictation = dictate(provided.provider);
    const again = agent.regenerate();
    dictation.say('Half a');
    await stateOf(agent, ({ live }) => live?.text === 'Half a');
    await agent.stop();
    dictation.end();
    const stopped = await again;
    expect(stopped).toMatchObject({ status: 'success', runStatus: 'interrupted', finishReason: 'stopped' });
    expect(textsOf(stopped)).toEqual(['one', 'Half a']);
    provided.provider.reply(replyWith('Whole'));
    expect(textsOf(await agent.regenerate())).toEqual(['one', 'Whole']);
    const reloaded = await secondTab(agent);
    expect(textsOf(reloaded.getState())).toEqual(['one', 'Whole']);
    expect(reloaded.getState().messages).toEqual(agent.getState().messages);
    expect(messageAt(reloaded, 1).variants).toMatchObject({ position: 3, itemIds: { length: 3 } });
  });

  it('tries a turn whose model failed again', async () => {
    const agent = await agentWith('one');
    provided.provider.reply({ kind: 'status', status: 400 });
    await expect(agent.regenerate()).rejects.toMatchObject({ code: 'model_error', status: 502 });
    expect(agent.getState()).toMatchObject({ status: 'error', error: { code: 'model_error' }, runStatus: 'failed' });
    expect(textsOf(agent.getState())).toEqual(['one']);
    provided.provider.reply(replyWith('ONE AT LAST'));
    expect(await agent.regenerate()).toMatchObject({ status: 'success', error: null, runStatus: 'completed' });
    expect(textsOf(agent.getState())).toEqual(['one', 'ONE AT LAST']);
  });

  it('needs an acknowledgement if a client tool has run, and pauses as usual', async () => {
    const agent = createAgent();
    const call = { kind: 'answer', calls: [{ name: 'lookup', arguments: '{"id":7}' }] } as const;
    provided.provider.reply(call, replyWith('Found.'), call, replyWith('Found again.'));
    await agent.start({ content: 'Look', clientTools: { lookup: () => ({ name: 'Ann' }) } });
    const before = await agent.settled();
    expect(textsOf(before)).toEqual(['Look', 'Found.']);
    const rejected = await agent.regenerate().catch((error: unknown) => error);
    expect(rejected).toMatchObject({
      ...{ status: 409, code: 'turn_has_effects' },
      effects: [{ callId: expect.any(String), name: 'lookup', status: 'completed' }],
    });
    expect(agent.getState()).toEqual(before);
    await agent.regenerate({ acknowledgeEffects: true });
    const done = await agent.settled();
    expect(textsOf(done)).toEqual(['Look', 'Found again.']);
    expect(done.history.map(({ type }) => type)).toEqual(['message', 'client_tool', 'message']);
  });

  it('runs nothing again if the named message is not in the last turn', async () => {
    const agent = await agentWith('one', 'two');
    const { id: messageId } = messageAt(agent, -1);
    const other = await secondTab(agent);
    provided.provider.reply(replyWith('THREE'));
    await other.continue({ content: 'three' });
    await expect(agent.regenerate({ messageId })).rejects.toMatchObject({ status: 400, param: 'messageId' });
    provided.provider.reply(replyWith('AGAIN'));
    expect(textsOf(await other.regenerate({ messageId: messageAt(other, -1).id })).at(-1)).toBe('AGAIN');
  });

  it('is an invalid call without a conversation', async () => {
    await expect(createAgent().regenerate()).rejects.toMatchObject({ code: 'invalid_call' });
  });
});

describe('agent.edit', () => {
  it('replaces a message and everything after it, in this tab, in another one and after a reload', async () => {
    const agent = await agentWith('one', 'two', 'three');
    const other = await secondTab(agent);
    const { id } = messageAt(agent, 2);
    provided.provider.reply(replyWith('TWO AND A HALF'));
    const edited = await agent.edit(id, 'two and a half');
    const texts = ['one', 'ONE', 'two and a half', 'TWO AND A HALF'];
    expect(textsOf(edited)).toEqual(texts);
    await shows(other, ...texts);
    const seen = await stateOf(other, ({ messages }) => messages[2]?.variants !== undefined);
    expect(seen.messages).toEqual(edited.messages);
    expect(edited.messages.map(({ variants }) => variants?.position)).toEqual([undefined, undefined, 2, undefined]);
    expect(messageAt(agent, 2).variants?.itemIds.map((itemId) => Number(itemId.slice(5)))).toEqual([
      id,
      messageAt(agent, 2).id,
    ]);
    expect(textsOf((await secondTab(agent)).getState())).toEqual(texts);
    await expect(other.edit(id, 'too late')).rejects.toMatchObject({ status: 409, code: 'message_superseded' });
    expect(textsOf(other.getState())).toEqual(texts);
  });

  it('shows the active line to a tab that polls', async () => {
    const agent = await agentWith('one', 'two');
    const polling = createAgent();
    await polling.open(agent.getState().conversationId ?? '', { live: false, pollIntervalMs: 500 });
    provided.provider.reply(replyWith('EINS'));
    await agent.edit(messageAt(agent, 0).id, 'eins');
    await shows(polling, 'eins', 'EINS');
  });
});

describe('agent.selectVariant', () => {
  it('makes a variant active in this tab and another one, also with what was replaced together with it', async () => {
    const agent = await agentWith('one', 'two');
    const other = await secondTab(agent);
    provided.provider.reply(replyWith('EINS'));
    await agent.edit(messageAt(agent, 0).id, 'eins');
    await shows(other, 'eins', 'EINS');
    const [first = ''] = messageAt(agent, 0).variants?.itemIds ?? [];
    const { conversationId } = agent.getState();
    expect(await agent.selectVariant(first)).toMatchObject({ conversationId, isFork: false });
    const texts = ['one', 'ONE', 'two', 'TWO'];
    expect(textsOf(agent.getState())).toEqual(texts);
    expect(messageAt(agent, 0).variants).toMatchObject({ position: 1, itemIds: { length: 2 } });
    const reloaded = (await secondTab(agent)).getState();
    expect(agent.getState()).toEqual(reloaded);
    await shows(other, ...texts);
    await stateOf(other, ({ messages }) => messages[0]?.variants?.position === 1);
    expect(other.getState()).toMatchObject({ runId: reloaded.runId, runStatus: 'completed', status: 'success' });
  });

  it('shows that the restored turn succeeded after the other one had failed', async () => {
    const agent = await agentWith('one');
    const reply = messageAt(agent, 1).id;
    provided.provider.reply({ kind: 'status', status: 400 });
    await agent.regenerate().catch(() => {});
    await agent.selectVariant(reply);
    expect(agent.getState()).toMatchObject({ status: 'success', error: null, runStatus: 'completed' });
    expect(textsOf(agent.getState())).toEqual(['one', 'ONE']);
  });

  it('is a fork if messages follow', async () => {
    const agent = await agentWith('one');
    provided.provider.reply(replyWith('ONE AGAIN'), replyWith('TWO'));
    await agent.regenerate();
    await agent.continue({ content: 'two' });
    const [first = ''] = messageAt(agent, 1).variants?.itemIds ?? [];
    const selected = await agent.selectVariant(first);
    expect(selected).toMatchObject({ isFork: true, name: expect.any(String) });
    expect(textsOf(agent.getState())).toEqual(['one', 'ONE AGAIN', 'two', 'TWO']);
    expect(textsOf(await agent.open(selected.conversationId))).toEqual(['one', 'ONE']);
  });
});

describe('agent.fork', () => {
  it('copies the conversation up to an item and leaves the open one as it is', async () => {
    const agent = await agentWith('one', 'two');
    const fork = await agent.fork(messageAt(agent, 1).id, { meta: { why: 'test' } });
    expect(textsOf(agent.getState())).toEqual(['one', 'ONE', 'two', 'TWO']);
    expect(textsOf(await createAgent().open(fork.conversationId))).toEqual(['one', 'ONE']);
    const whole = await agent.fork();
    expect(textsOf(await createAgent().open(whole.conversationId))).toHaveLength(4);
  });
});
