import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AgentController, type AgentState, type ClientOptions, createClient } from '../../src/sdk/index.ts';
import { dictate } from '../support/dictation.ts';
import { type FaultyProxy, startProxy } from '../support/faulty-proxy.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { stateOf, textsOf } from '../support/sdk.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({ clientTools: [{ name: 'ask_user', description: 'Asks the user.' }] });
});
afterAll(() => provided.close());

const closing = new Set<{ close(): unknown }>();
afterEach(async () => {
  await Promise.all([...closing].map((one) => one.close()));
  closing.clear();
});

function createAgent(options: Partial<ClientOptions> = {}): AgentController {
  const { url, key } = provided.service;
  const agent = createClient({ baseUrl: url, apiKey: key, deploymentId, ...options }).createAgent();
  closing.add(agent);
  return agent;
}

const ASK = {
  name: 'ask_user',
  arguments: JSON.stringify({ questions: [{ id: 'name', question: 'Name?', input_type: 'text' }] }),
};

/** A conversation with one turn. */
async function startConversation(): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  return (await provided.turn(deploymentId)).body.conversation_id;
}

async function openAgent(conversationId: string, options: Partial<ClientOptions> = {}): Promise<AgentController> {
  const agent = createAgent(options);
  await agent.open(conversationId);
  return agent;
}

/** The text that a page shows: the messages and the message that is being written. */
const shown = (state: AgentState) => [...textsOf(state), ...(state.live ? [state.live.text] : [])];

const showing = (agent: AgentController, text: string) => stateOf(agent, (state) => shown(state).at(-1) === text);

/** Records the texts of each state, without repetitions. */
function record(agent: AgentController): string[] {
  const texts = [shown(agent.getState()).join(' | ')];
  agent.subscribe((state) => {
    const now = shown(state).join(' | ');
    if (texts.at(-1) !== now) texts.push(now);
  });
  return texts;
}

describe('live of the agent state', () => {
  it('grows while the model writes, and becomes the stored message in one change', async () => {
    const agent = await openAgent(await startConversation());
    const texts = record(agent);
    const dictation = dictate(provided.provider);
    const turn = agent.continue({ content: 'More' });
    dictation.say('One ');
    await showing(agent, 'One ');
    const { live } = agent.getState();
    dictation.say('two');
    const { live: later } = await showing(agent, 'One two');
    expect(later?.messageKey).toBe(live?.messageKey);
    dictation.end();
    const done = await turn;
    expect(done).toMatchObject({ status: 'success', live: null, finishReason: 'stop' });
    expect(textsOf(done).at(-1)).toBe('One two');
    expect(texts.slice(1)).toEqual(['Hello | Hi | More', 'Hello | Hi | More | One ', 'Hello | Hi | More | One two']);
  });

  it('grows in the first turn of a new conversation', async () => {
    const sent: (string | null)[] = [];
    const agent = createAgent({
      fetch: (input, init) => {
        if (String(input).includes('/v2/')) sent.push(new Headers(init?.headers).get('prefer'));
        return fetch(input, init);
      },
    });
    const texts = record(agent);
    const dictation = dictate(provided.provider);
    const turn = agent.start({ content: 'Hello' });
    dictation.say('One ');
    expect(await showing(agent, 'One ')).toMatchObject({ status: 'running', conversationId: expect.any(String) });
    dictation.say('two');
    await showing(agent, 'One two');
    dictation.end();
    expect(await turn).toMatchObject({ status: 'success', live: null, runStatus: 'completed' });
    expect(texts).toEqual(['', 'Hello', 'Hello | One ', 'Hello | One two']);
    expect(sent).toEqual(['respond-async', null]);
  });

  it('disappears with the error of the first turn if its model fails', async () => {
    provided.provider.reply({ kind: 'cut', deltas: ['never stored'] });
    const agent = createAgent();
    await expect(agent.start({ content: 'Hello' })).rejects.toMatchObject({ status: 502, code: 'model_error' });
    expect(agent.getState()).toMatchObject({ live: null, status: 'error', error: { code: 'model_error' } });
    expect(shown(agent.getState())).toEqual(['Hello']);
  });

  it('shows turns of other clients and uses one connection', async () => {
    const id = await startConversation();
    let feeds = 0;
    const agent = await openAgent(id, {
      fetch: (input, init) => {
        if (String(init?.body).includes('subscription')) feeds += 1;
        return fetch(input, init);
      },
    });
    const dictation = dictate(provided.provider);
    const turn = provided.turn(deploymentId, { conversation_id: id });
    dictation.say('From elsewhere');
    const state = await showing(agent, 'From elsewhere');
    expect(state).toMatchObject({ status: 'running', runStatus: 'running' });
    dictation.end();
    await turn;
    await stateOf(agent, ({ status, live }) => status === 'success' && live === null);
    expect(feeds).toBe(1);
  });

  it('has the text so far after a reload in mid-answer, and continues', async () => {
    const id = await startConversation();
    const first = await openAgent(id);
    const dictation = dictate(provided.provider);
    const turn = first.continue({ content: 'More' });
    dictation.say('Before the reload');
    await showing(first, 'Before the reload');
    const reloaded = await openAgent(id);
    expect(await showing(reloaded, 'Before the reload')).toMatchObject({ status: 'running' });
    dictation.say(' and after it');
    await showing(reloaded, 'Before the reload and after it');
    dictation.end();
    await turn;
    const done = await stateOf(reloaded, ({ status }) => status === 'success');
    expect(done).toEqual({ ...first.getState() });
  });

  it('shows the text of each step of a turn with a client tool', async () => {
    const agent = await openAgent(await startConversation());
    const texts = record(agent);
    const asking = dictate(provided.provider, { calls: [ASK] });
    const turn = agent.continue({ content: 'Go', clientCapabilities: ['ask_user'] });
    asking.say('Let me ask.');
    await showing(agent, 'Let me ask.');
    asking.end();
    const { pendingToolCalls } = await turn;
    const answering = dictate(provided.provider);
    const resumed = agent.resolveTool(pendingToolCalls[0]?.callId ?? '', { answers: [{ id: 'name', value: 'Ann' }] });
    answering.say('Hello Ann');
    await showing(agent, 'Hello Ann');
    answering.end();
    expect(await resumed).toMatchObject({ status: 'success', live: null });
    expect(texts.at(-1)).toBe('Hello | Hi | Go | Let me ask. | Hello Ann');
    expect(texts).toEqual([...new Set(texts)]);
  });

  it('disappears if the model fails', async () => {
    const id = await startConversation();
    const agent = await openAgent(id);
    const texts = record(agent);
    provided.provider.reply({ kind: 'cut', deltas: ['never stored'] });
    await expect(agent.continue({ content: 'More' })).rejects.toMatchObject({ code: 'model_error' });
    expect(agent.getState()).toMatchObject({ live: null, status: 'error', error: { code: 'model_error' } });
    expect(texts.at(-1)).toBe('Hello | Hi | More');
  });

  it('neither repeats nor loses text when the connection is cut', async () => {
    const proxy: FaultyProxy = await startProxy(provided.service.url);
    closing.add(proxy);
    const id = await startConversation();
    const agent = await openAgent(id, { baseUrl: proxy.url });
    const dictation = dictate(provided.provider);
    const turn = provided.turn(deploymentId, { conversation_id: id });
    let text = '';
    for (let word = 0; word < 20; word += 1) {
      text += `word${word} `;
      dictation.say(`word${word} `);
      await showing(agent, text);
      if (word % 4 === 0) await proxy.cut('open');
    }
    dictation.end();
    await turn;
    const done = await stateOf(agent, ({ status }) => status === 'success');
    expect(shown(done).slice(2)).toEqual(['Hello', text]);
  });

  it('is null when the conversation is polled', async () => {
    const id = await startConversation();
    const agent = createAgent();
    await agent.open(id, { live: false, pollIntervalMs: 500 });
    const texts = record(agent);
    const dictation = dictate(provided.provider);
    const turn = provided.turn(deploymentId, { conversation_id: id });
    dictation.say('Not seen');
    await stateOf(agent, ({ status }) => status === 'running');
    dictation.end();
    await turn;
    await showing(agent, 'Not seen');
    expect(texts.slice(1)).toEqual(['Hello | Hi | Hello', 'Hello | Hi | Hello | Not seen']);
  });
});

describe('agent.stop', () => {
  it('stops the turn on the server, keeps the text and is no error', async () => {
    const id = await startConversation();
    const [agent, other] = [await openAgent(id), await openAgent(id)];
    const dictation = dictate(provided.provider);
    const turn = agent.continue({ content: 'More' });
    dictation.say('Up to here');
    await showing(agent, 'Up to here');
    const stopped = await agent.stop();
    const expected = { status: 'success', error: null, runStatus: 'interrupted', finishReason: 'stopped', live: null };
    expect(stopped).toMatchObject(expected);
    expect(textsOf(stopped).slice(2)).toEqual(['More', 'Up to here']);
    expect(await turn).toMatchObject(expected);
    expect(await agent.stop()).toBe(agent.getState());
    expect(await stateOf(other, ({ runStatus }) => runStatus === 'interrupted')).toMatchObject({ live: null });
    expect(await other.settled()).toMatchObject(expected);
    dictation.end();
    const reloaded = await openAgent(id);
    expect(reloaded.getState()).toMatchObject(expected);
  });

  it('stops the first turn of a new conversation', async () => {
    const agent = createAgent();
    const dictation = dictate(provided.provider);
    const turn = agent.start({ content: 'Hello' });
    const stopped = await agent.stop();
    expect(stopped).toMatchObject({ status: 'success', finishReason: 'stopped' });
    expect(await turn).toMatchObject({ conversationId: stopped.conversationId, runStatus: 'interrupted' });
    dictation.end();
  });

  it('stops a turn of another client', async () => {
    const id = await startConversation();
    const agent = await openAgent(id);
    const dictation = dictate(provided.provider);
    const turn = provided.turn(deploymentId, { conversation_id: id });
    dictation.say('Theirs');
    await showing(agent, 'Theirs');
    expect(await agent.stop()).toMatchObject({ runStatus: 'interrupted', status: 'success' });
    expect((await turn).body).toMatchObject({ run_status: 'interrupted', content: 'Theirs' });
    dictation.end();
  });

  it('cancels pending calls and aborts their handlers', async () => {
    const agent = await openAgent(await startConversation());
    provided.provider.reply({ kind: 'answer', calls: [ASK] });
    let signal: AbortSignal | undefined;
    const ask_user = (_args: object, call: { signal: AbortSignal }) => {
      signal = call.signal;
      return new Promise<never>(() => {});
    };
    const { pendingToolCalls } = await agent.continue({ content: 'Go', clientTools: { ask_user } });
    expect(pendingToolCalls).toHaveLength(1);
    const settled = agent.settled();
    expect(await agent.stop()).toMatchObject({ status: 'success', pendingToolCalls: [], finishReason: 'stopped' });
    expect(signal?.aborted).toBe(true);
    expect(await settled).toMatchObject({ runStatus: 'interrupted' });
  });

  it('works without the event stream', async () => {
    const agent = createAgent();
    await agent.open(await startConversation(), { live: false });
    const dictation = dictate(provided.provider);
    const asked = provided.provider.nextRequest();
    const turn = agent.continue({ content: 'More' });
    await asked;
    expect(await agent.stop()).toMatchObject({ status: 'success', finishReason: 'stopped' });
    await turn;
    dictation.end();
  });

  it('changes nothing if no turn is active or no conversation is open', async () => {
    const agent = createAgent();
    expect(await agent.stop()).toMatchObject({ status: 'idle', conversationId: null });
    await agent.open(await startConversation());
    expect(await agent.stop()).toMatchObject({ status: 'success', runStatus: 'completed', finishReason: 'stop' });
    agent.close();
    expect(await agent.stop()).toMatchObject({ status: 'closed' });
  });
});
