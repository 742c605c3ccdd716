import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatState, type ConversationController, createClient } from '../../src/sdk/index.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { textsOf } from '../support/sdk.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment } from '../support/tenants.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = (await makeDeployment(provided.service, {}, { kind: 'chat' })).id;
});
afterAll(() => provided.close());

const endings = new Set<() => void>();
afterEach(() => {
  for (const end of endings) end();
  endings.clear();
});

function createChat(id?: string, { follows = false } = {}): ConversationController {
  const { url, key } = provided.service;
  const conversation = createClient({ baseUrl: url, apiKey: key, deploymentId }).createConversation();
  if (id) conversation.start(id);
  if (follows) endings.add(conversation.follow());
  return conversation;
}

function stateOf(conversation: ConversationController, matches: (state: ChatState) => boolean): Promise<ChatState> {
  return new Promise((resolve) => {
    const check = (state: ChatState) => matches(state) && resolve(state);
    conversation.subscribe(check);
    check(conversation.getState());
  });
}

const shows = (conversation: ConversationController, ...texts: readonly string[]) =>
  stateOf(conversation, (state) => JSON.stringify(textsOf(state)) === JSON.stringify(texts));

/** A chat with these messages, and another tab that follows it. The reply to a message is its text in capitals. */
async function twoTabs(...said: readonly string[]) {
  const chat = createChat();
  for (const content of said) {
    provided.provider.reply(replyWith(content.toUpperCase()));
    await chat.run({ content });
  }
  const other = createChat(chat.getState().id ?? '', { follows: true });
  await stateOf(other, ({ messages }) => messages.length === said.length * 2);
  return { chat, other };
}

const messageAt = (conversation: ConversationController, index: number) => {
  const message = conversation.getState().messages.at(index);
  if (!message) throw new Error(`There is no message ${index}.`);
  return message;
};

describe('conversation.regenerate', () => {
  it('shows the new reply while it is written, in this tab and in another one', async () => {
    const { chat, other } = await twoTabs('one', 'two');
    const dictation = dictate(provided.provider);
    const again = chat.regenerate();
    expect(chat.getState()).toMatchObject({ status: 'running', error: null });
    dictation.say('TWO ');
    for (const tab of [chat, other]) {
      const state = await stateOf(tab, ({ live }) => live === 'TWO ');
      expect(textsOf(state)).toEqual(['one', 'ONE', 'two']);
      expect(state.status).toBe('running');
    }
    dictation.say('AGAIN');
    dictation.end();
    expect(await again).toMatchObject({ content: 'TWO AGAIN', conversationStatus: 'active' });
    const texts = ['one', 'ONE', 'two', 'TWO AGAIN'];
    expect(chat.getState()).toMatchObject({ status: 'success', live: null, data: { content: 'TWO AGAIN' } });
    expect(textsOf(chat.getState())).toEqual(texts);
    await shows(other, ...texts);
    await stateOf(other, ({ messages }) => messages[3]?.variants?.position === 2);
    expect(messageAt(chat, 3).variants).toEqual(messageAt(other, 3).variants);
  });

  it('can be stopped, and keeps the text so far', async () => {
    const { chat } = await twoTabs('one');
    const dictation = dictate(provided.provider);
    const again = chat.regenerate();
    dictation.say('Half a');
    await stateOf(chat, ({ live }) => live === 'Half a');
    const stopped = await chat.stop();
    dictation.end();
    expect(await again).toMatchObject({ content: 'Half a', finishReason: 'stopped' });
    expect(textsOf(stopped)).toEqual(['one', 'Half a']);
  });

  it('can be aborted: the turn continues, and another conversation stays as it is', async () => {
    const { chat, other } = await twoTabs('one');
    const dictation = dictate(provided.provider);
    const again = chat.regenerate();
    dictation.say('Half a');
    await stateOf(chat, ({ live }) => live === 'Half a');
    chat.start();
    await expect(again).rejects.toMatchObject({ code: 'aborted' });
    dictation.say(' reply');
    dictation.end();
    await shows(other, 'one', 'Half a reply');
    expect(chat.getState()).toMatchObject({ id: null, messages: [], live: null, status: 'idle' });
  });

  it('tries a turn whose model failed again', async () => {
    const { chat, other } = await twoTabs('one');
    provided.provider.reply({ kind: 'status', status: 400 });
    await expect(chat.regenerate()).rejects.toMatchObject({ code: 'model_error' });
    expect(chat.getState()).toMatchObject({ status: 'error', error: { code: 'model_error' }, live: null });
    expect(textsOf(chat.getState())).toEqual(['one']);
    await stateOf(other, ({ status }) => status === 'error');
    provided.provider.reply(replyWith('ONE AT LAST'));
    await chat.regenerate();
    expect(textsOf(chat.getState())).toEqual(['one', 'ONE AT LAST']);
    await shows(other, 'one', 'ONE AT LAST');
  });
});

describe('conversation.edit', () => {
  it('replaces a message and everything after it, in this tab, in another one and after a reload', async () => {
    const { chat, other } = await twoTabs('one', 'two', 'three');
    const { id } = messageAt(chat, 2);
    provided.provider.reply(replyWith('ZWEI'));
    expect(await chat.edit(id, 'zwei')).toMatchObject({ content: 'ZWEI' });
    const texts = ['one', 'ONE', 'zwei', 'ZWEI'];
    expect(textsOf(chat.getState())).toEqual(texts);
    expect(messageAt(chat, 2).variants).toMatchObject({ position: 2, itemIds: { length: 2 } });
    await shows(other, ...texts);
    const reloaded = createChat(chat.getState().id ?? '');
    await reloaded.loadMessages();
    expect(textsOf(reloaded.getState())).toEqual(texts);
    await expect(other.edit(id, 'too late')).rejects.toMatchObject({ status: 409, code: 'message_superseded' });
    expect(textsOf(other.getState())).toEqual(texts);
  });
});

describe('conversation.selectVariant and conversation.fork', () => {
  it('make a variant active in every tab, or leave the open conversation as it is', async () => {
    const { chat, other } = await twoTabs('one', 'two');
    provided.provider.reply(replyWith('EINS'));
    await chat.edit(messageAt(chat, 0).id, 'eins');
    await shows(other, 'eins', 'EINS');
    const [first = ''] = messageAt(chat, 0).variants?.itemIds ?? [];
    expect(await chat.selectVariant(first)).toMatchObject({ isFork: false });
    const texts = ['one', 'ONE', 'two', 'TWO'];
    expect(textsOf(chat.getState())).toEqual(texts);
    await shows(other, ...texts);
    const fork = await chat.fork(messageAt(chat, 1).id);
    expect(textsOf(chat.getState())).toEqual(texts);
    const forked = createChat(fork.conversationId);
    await forked.loadMessages();
    expect(textsOf(forked.getState())).toEqual(['one', 'ONE']);
    await expect(createChat().fork()).rejects.toMatchObject({ code: 'invalid_call' });
  });
});
