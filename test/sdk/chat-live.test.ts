import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatState, type ConversationController, createClient } from '../../src/sdk/index.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { textsOf } from '../support/sdk.ts';
import { makeDeployment } from '../support/tenants.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = (await makeDeployment(provided.service, {}, { kind: 'chat' })).id;
});
afterAll(() => provided.close());

const COMPLETION = { name: 'complete_conversation', arguments: '{"summary":"Done"}' };
const COMPLETES = { allowConversationCompletion: true };

const endings = new Set<() => void>();
afterEach(() => {
  for (const end of endings) end();
  endings.clear();
});

function createChat(deployment = deploymentId): ConversationController {
  const { url, key } = provided.service;
  return createClient({ baseUrl: url, apiKey: key, deploymentId: deployment }).createConversation();
}

function follow(conversation: ConversationController, id?: string): ConversationController {
  if (id) conversation.start(id);
  endings.add(conversation.follow());
  return conversation;
}

/** A conversation with one turn. */
async function startConversation(): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  return (await createChat().run({ content: 'Hello' })).conversationId;
}

function stateOf(conversation: ConversationController, matches: (state: ChatState) => boolean): Promise<ChatState> {
  return new Promise((resolve) => {
    const check = (state: ChatState) => matches(state) && resolve(state);
    conversation.subscribe(check);
    check(conversation.getState());
  });
}

const showing = (conversation: ConversationController, text: string) =>
  stateOf(conversation, ({ live }) => live === text);

/** The texts that a page shows, in each state, without repetitions. */
function record(conversation: ConversationController): string[] {
  const shown = (state: ChatState) => [...textsOf(state), ...(state.live ? [state.live] : [])].join(' | ');
  const texts = [shown(conversation.getState())];
  conversation.subscribe((state) => {
    if (texts.at(-1) !== shown(state)) texts.push(shown(state));
  });
  return texts;
}

describe('conversation.follow', () => {
  it('shows the turns of other clients while they are written', async () => {
    const id = await startConversation();
    const watching = follow(createChat(), id);
    await stateOf(watching, ({ messages }) => messages.length === 2);
    const texts = record(watching);
    const dictation = dictate(provided.provider);
    const other = createChat();
    other.start(id);
    const turn = other.run({ content: 'More' });
    dictation.say('One ');
    expect(await showing(watching, 'One ')).toMatchObject({ status: 'running' });
    dictation.say('two');
    await showing(watching, 'One two');
    dictation.end();
    await turn;
    expect(await stateOf(watching, ({ status }) => status === 'success')).toMatchObject({ live: null, error: null });
    expect(texts).toEqual([
      'Hello | Hi',
      'Hello | Hi | More',
      'Hello | Hi | More | One ',
      'Hello | Hi | More | One two',
    ]);
  });

  it('keeps the status while a page of messages loads during the turn of another client', async () => {
    const id = await startConversation();
    const watching = follow(createChat(), id);
    const dictation = dictate(provided.provider);
    const other = createChat();
    other.start(id);
    const turn = other.run({ content: 'More' });
    dictation.say('One');
    await showing(watching, 'One');
    await watching.loadMessages({ pageSize: 1 });
    expect(watching.getState()).toMatchObject({ status: 'running', live: 'One' });
    dictation.end();
    await turn;
  });

  it('reports that the conversation is completed, by another client and by an earlier turn', async () => {
    const { id: deployment } = await makeDeployment(provided.service, COMPLETES, { kind: 'chat' });
    provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const first = createChat(deployment);
    const { conversationId } = await first.run({ content: 'Hello' });
    expect(first.getState().conversationStatus).toBe('active');
    const watching = follow(createChat(deployment), conversationId);
    await stateOf(watching, ({ conversationStatus }) => conversationStatus === 'active');
    provided.provider.reply({ kind: 'answer', calls: [COMPLETION] }, { kind: 'answer', deltas: ['Bye'] });
    const body = { content: [{ type: 'text', text: 'That is all' }], conversation_id: conversationId };
    await provided.service.send('POST', `/v2/runner/${deployment}/conversation`, { body });
    await stateOf(watching, ({ conversationStatus }) => conversationStatus === 'completed');
    await stateOf(
      follow(createChat(deployment), conversationId),
      ({ conversationStatus }) => conversationStatus === 'completed',
    );
    await expect(first.run({ content: 'One more' })).rejects.toMatchObject({ code: 'conversation_completed' });
    expect(first.getState().conversationStatus).toBe('completed');
  });

  it('has the text so far after a reload in mid-answer', async () => {
    const id = await startConversation();
    const dictation = dictate(provided.provider);
    const first = createChat();
    first.start(id);
    const turn = first.stream({ content: 'More' });
    dictation.say('Before');
    await showing(first, 'Before');
    const reloaded = follow(createChat(), id);
    expect(await showing(reloaded, 'Before')).toMatchObject({ status: 'running' });
    dictation.say(' and after');
    await showing(reloaded, 'Before and after');
    dictation.end();
    await turn;
    const done = await stateOf(reloaded, ({ status }) => status === 'success');
    expect(textsOf(done)).toEqual(['Hello', 'Hi', 'More', 'Before and after']);
  });

  it('leaves own streams alone, and follows again after them', async () => {
    const watching = follow(createChat());
    const texts = record(watching);
    provided.provider.reply({ kind: 'answer', deltas: ['Mine'] });
    const { conversationId } = await watching.stream({ content: 'First' });
    expect(watching.getState()).toMatchObject({ status: 'success', live: null });
    provided.provider.reply({ kind: 'answer', deltas: ['Theirs'] });
    const other = createChat();
    other.start(conversationId);
    await other.run({ content: 'Second' });
    await stateOf(watching, ({ messages, status }) => messages.length === 4 && status === 'success');
    expect(textsOf(watching.getState())).toEqual(['First', 'Mine', 'Second', 'Theirs']);
    expect(texts).toEqual([...new Set(texts)]);
  });

  it('shows that a turn of another client failed, and takes its text back', async () => {
    const id = await startConversation();
    const watching = follow(createChat(), id);
    await stateOf(watching, ({ messages }) => messages.length === 2);
    provided.provider.reply({ kind: 'cut', deltas: ['never stored'] });
    const other = createChat();
    other.start(id);
    await expect(other.run({ content: 'More' })).rejects.toMatchObject({ code: 'model_error' });
    const failed = await stateOf(watching, ({ status }) => status === 'error');
    expect(failed).toMatchObject({ live: null, error: { code: 'run_failed' } });
    expect(textsOf(failed)).toEqual(['Hello', 'Hi', 'More']);
  });

  it('ends with its function, and reports an unknown conversation', async () => {
    const id = await startConversation();
    const conversation = createChat();
    conversation.start(id);
    const unfollow = conversation.follow();
    await stateOf(conversation, ({ messages }) => messages.length === 2);
    unfollow();
    provided.provider.reply({ kind: 'answer', deltas: ['Unseen'] });
    const other = createChat();
    other.start(id);
    await other.run({ content: 'More' });
    expect(conversation.getState().messages).toHaveLength(2);
    const lost = follow(createChat(), '00000000-0000-4000-8000-0000000000ff');
    expect(await stateOf(lost, ({ status }) => status === 'error')).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('conversation.stop', () => {
  it.each(['run', 'stream'] as const)('ends a %s, which resolves with the text so far', async (method) => {
    const conversation = createChat();
    conversation.start(await startConversation());
    const dictation = dictate(provided.provider);
    const asked = provided.provider.nextRequest();
    const turn = conversation[method]({ content: 'More' });
    await asked;
    dictation.say('Up to here');
    if (method === 'stream') await showing(conversation, 'Up to here');
    const stopped = await conversation.stop();
    expect(stopped).toMatchObject({ status: 'success', live: null, error: null });
    const { content } = await turn;
    expect(stopped.data?.content).toBe(content);
    if (method === 'stream') expect(content).toBe('Up to here');
    expect(textsOf(stopped)).toContain('More');
    dictation.end();
  });

  it('ends the first turn of a new conversation', async () => {
    const conversation = createChat();
    const dictation = dictate(provided.provider);
    const turn = conversation.stream({ content: 'Hello' });
    dictation.say('Up to here');
    await showing(conversation, 'Up to here');
    const stopped = await conversation.stop();
    expect(textsOf(stopped)).toEqual(['Hello', 'Up to here']);
    expect(await turn).toMatchObject({ content: 'Up to here', conversationId: stopped.id });
    dictation.end();
  });

  it('ends a turn of another client', async () => {
    const id = await startConversation();
    const watching = follow(createChat(), id);
    const dictation = dictate(provided.provider);
    const other = createChat();
    other.start(id);
    const turn = other.run({ content: 'More' });
    dictation.say('Theirs');
    await showing(watching, 'Theirs');
    const stopped = await watching.stop();
    expect(stopped).toMatchObject({ status: 'success', live: null });
    expect(textsOf(stopped)).toEqual(['Hello', 'Hi', 'More', 'Theirs']);
    expect((await turn).content).toBe('Theirs');
    dictation.end();
  });

  it('changes nothing if no turn is running or no conversation is open', async () => {
    const conversation = createChat();
    expect(await conversation.stop()).toMatchObject({ status: 'idle', id: null });
    conversation.start(await startConversation());
    expect(await conversation.stop()).toMatchObject({ status: 'idle', error: null });
  });
});
