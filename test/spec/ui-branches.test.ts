import { randomUUID } from 'node:crypto';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { AI_SDKS } from '../support/ai-sdks.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith } from '../support/talk.ts';
import { makeDeployment } from '../support/tenants.ts';
import {
  callsIn,
  chatOf,
  chunksOf,
  stopChat,
  storedMessages,
  textIn,
  userMessage,
  whenChat,
} from '../support/ui-chat.ts';
import { errorIn, requestsOf, textOf, type UiRequests } from '../support/ui-requests.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({
    clientTools: [{ name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } }],
  });
});
afterAll(() => provided.close());

const load = (id: string) => storedMessages(provided.service, id, deploymentId);
const texts = (messages: readonly UIMessage[]) => messages.map(textIn);
const idOfLast = ({ lastMessage }: { readonly lastMessage: UIMessage | undefined }) => lastMessage?.id ?? '';
const post = (body: object) => requestsOf(provided.service).post(body, { deploymentId });

describe.each(AI_SDKS)('version $version of the AI SDK', (sdk) => {
  const { lastAssistantMessageIsCompleteWithToolCalls: sendAutomaticallyWhen } = sdk.ai;
  const open = (id: string = randomUUID(), messages: UIMessage[] = []) =>
    chatOf(
      provided.service,
      { sdk, id, deploymentId, body: { client_capabilities: ['lookup'] } },
      { messages, sendAutomaticallyWhen },
    );

  /** A chat with these messages. The reply to a message is its text in capitals. */
  async function chatWith(...said: readonly string[]) {
    const chat = open();
    for (const text of said) {
      provided.provider.reply(replyWith(text.toUpperCase()));
      await chat.sendMessage({ text });
    }
    return chat;
  }

  /** The same chat in another tab, or after a reload. */
  const reload = async ({ id }: { readonly id: string }) => open(id, await load(id));

  it('regenerates the last reply, with its ID and without', async () => {
    const chat = await chatWith('one', 'two');
    const before = chat.lastMessage?.id;
    provided.provider.reply(replyWith('TWO AGAIN'), replyWith('TWO ONCE MORE'));
    await chat.regenerate();
    expect(chat.error).toBeUndefined();
    expect(texts(chat.messages)).toEqual(['one', 'ONE', 'two', 'TWO AGAIN']);
    expect(chat.lastMessage?.id).not.toBe(before);
    await chat.regenerate({ messageId: idOfLast(chat) });
    const expected = ['one', 'ONE', 'two', 'TWO ONCE MORE'];
    expect(texts(chat.messages)).toEqual(expected);
    const reloaded = await reload(chat);
    expect(texts(reloaded.messages)).toEqual(expected);
    expect(reloaded.lastMessage?.id).toBe(chat.lastMessage?.id);
    provided.provider.reply(replyWith('AND AGAIN'));
    await reloaded.regenerate({ messageId: idOfLast(reloaded) });
    expect(texts(reloaded.messages)).toEqual(['one', 'ONE', 'two', 'AND AGAIN']);
  });

  it('edits messages that were sent in this page, several times', async () => {
    const chat = await chatWith('one', 'two', 'three');
    provided.provider.reply(replyWith('ZWEI'), replyWith('DEUX'), replyWith('EINS'), replyWith('NEXT'));
    const [first = '', , second = ''] = chat.messages.map(({ id }) => id);
    await chat.sendMessage({ text: 'zwei', messageId: second });
    expect(chat.error).toBeUndefined();
    expect(texts(chat.messages)).toEqual(['one', 'ONE', 'zwei', 'ZWEI']);
    await chat.sendMessage({ text: 'deux', messageId: second });
    expect(texts(await load(chat.id))).toEqual(['one', 'ONE', 'deux', 'DEUX']);
    await chat.sendMessage({ text: 'eins', messageId: first });
    expect(texts(chat.messages)).toEqual(['eins', 'EINS']);
    await chat.sendMessage({ text: 'next' });
    expect(texts(await load(chat.id))).toEqual(['eins', 'EINS', 'next', 'NEXT']);
    expect(texts(chat.messages)).toEqual(['eins', 'EINS', 'next', 'NEXT']);
  });

  it('edits loaded messages, which another tab sees after a reload', async () => {
    const chat = await chatWith('one', 'two');
    const reloaded = await reload(chat);
    const { id: messageId } = reloaded.messages[2] as UIMessage;
    provided.provider.reply(replyWith('ZWEI'), replyWith('DEUX'), replyWith('THREE'));
    await reloaded.sendMessage({ text: 'zwei', messageId });
    await reloaded.sendMessage({ text: 'deux', messageId });
    expect(texts(reloaded.messages)).toEqual(['one', 'ONE', 'deux', 'DEUX']);
    // The first tab still shows the replaced messages.
    await chat.sendMessage({ text: 'three' });
    expect(texts(await load(chat.id))).toEqual(['one', 'ONE', 'deux', 'DEUX', 'three', 'THREE']);
    // It does not show what the conversation has, so the service does not guess.
    await chat.regenerate();
    expect(chat.error?.message).toContain('Load the messages again.');
    chat.messages = await load(chat.id);
    provided.provider.reply(replyWith('VIER'));
    await chat.sendMessage({ text: 'vier', messageId: chat.messages.at(-2)?.id ?? '' });
    expect(texts(chat.messages)).toEqual(['one', 'ONE', 'deux', 'DEUX', 'vier', 'VIER']);
  });

  it('stops a regenerated turn, resumes it after a reload, and tries a failed one again', async () => {
    const chat = await chatWith('one');
    const dictation = dictate(provided.provider);
    const again = chat.regenerate();
    dictation.say('Half');
    await whenChat(chat, ({ lastMessage }) => textIn(lastMessage) === 'Half');
    const reloaded = await reload(chat);
    expect(texts(reloaded.messages)).toEqual(['one']);
    const resumed = reloaded.resumeStream();
    await whenChat(reloaded, ({ lastMessage }) => textIn(lastMessage) === 'Half');
    await stopChat(provided.service, chat.id, deploymentId);
    dictation.end();
    await Promise.all([again, resumed]);
    for (const tab of [chat, reloaded, await reload(chat)]) expect(texts(tab.messages)).toEqual(['one', 'Half']);
    provided.provider.reply({ kind: 'status', status: 400 });
    await chat.regenerate();
    expect(chat.error?.message).toContain('The model failed.');
    provided.provider.reply(replyWith('ONE AT LAST'));
    await chat.regenerate();
    expect(texts(chat.messages)).toEqual(['one', 'ONE AT LAST']);
    expect(texts(await load(chat.id))).toEqual(['one', 'ONE AT LAST']);
  });

  it('asks before it replaces a turn with effects, and its client tools work in the new one', async () => {
    const chat = open();
    const call = { kind: 'answer', calls: [{ name: 'lookup', arguments: '{"id":7}' }] } as const;
    provided.provider.reply(call, replyWith('Found.'), call, replyWith('Found again.'));
    const answer = async () => {
      const [lookup] = callsIn(chat.lastMessage);
      await chat.addToolOutput({ tool: 'lookup', toolCallId: lookup?.toolCallId ?? '', output: { name: 'Ann' } });
    };
    await chat.sendMessage({ text: 'Look' });
    await answer();
    await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'Found.');
    await chat.regenerate();
    expect(chat.error?.message).toContain('lookup');
    expect(chat.error?.message).toContain('set acknowledge_effects to true');
    expect(texts(await load(chat.id))).toEqual(['Look', 'Found.']);
    await chat.regenerate({ body: { acknowledge_effects: true } });
    await answer();
    await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'Found again.');
    expect(texts(await load(chat.id))).toEqual(['Look', 'Found again.']);
  });

  it('sends a message whose request was rejected again with regenerate()', async () => {
    const chat = await chatWith('one');
    const rejected = chatOf(provided.service, { sdk, id: chat.id, deploymentId, key: 'sk_live_wrong' });
    rejected.messages = chat.messages;
    await rejected.sendMessage({ text: 'two' });
    expect(rejected.error?.message).toContain('key');
    chat.messages = rejected.messages;
    provided.provider.reply(replyWith('TWO'));
    await chat.regenerate();
    expect(texts(await load(chat.id))).toEqual(['one', 'ONE', 'two', 'TWO']);
  });
});

describe('a replacement', () => {
  const say: UiRequests['say'] = (text, sent) => requestsOf(provided.service).say(text, { ...sent, deploymentId });

  /** A chat of three turns, as stored. */
  async function chat() {
    const id = randomUUID();
    for (const text of ['one', 'two', 'three']) {
      provided.provider.reply(replyWith(text.toUpperCase()));
      await chunksOf(await say(text, { id }));
    }
    return { id, stored: await load(id) };
  }

  const asked = (text: string) => userMessage(text);

  it('gets 400 for a reply that is not the last one', async () => {
    const { id, stored } = await chat();
    const body = { id, trigger: 'regenerate-message', messages: stored.slice(0, 3), messageId: stored[3]?.id };
    expect(await errorIn(await post(body))).toEqual({ status: 400, code: 'invalid_request', param: 'messageId' });
    const reply = { id, trigger: 'regenerate-message', messages: stored.slice(0, 2) };
    expect(await errorIn(await post(reply))).toMatchObject({ status: 400, param: 'messages' });
    expect(await load(id)).toEqual(stored);
  });

  it('gets 409 if the messages of the page are not those of the conversation', async () => {
    const { id, stored } = await chat();
    const [one, , two] = stored;
    const conflict = { status: 409, code: 'message_superseded', param: 'messages' };
    const edit = (...messages: readonly unknown[]) =>
      post({ id, trigger: 'submit-message', messages, messageId: 'made-up' });
    expect(await errorIn(await edit(asked('uno'), { ...two, id: 'made-up' }))).toEqual(conflict);
    expect(await errorIn(await edit(one, asked('zwei'), asked('drei')))).toEqual(conflict);
    const again = (...messages: readonly unknown[]) => post({ id, trigger: 'regenerate-message', messages });
    expect(await errorIn(await again(one, asked('zwei')))).toEqual(conflict);
    expect(await errorIn(await again(asked('one'), asked('two'), asked('drei')))).toEqual(conflict);
    expect(await load(id)).toEqual(stored);
  });

  it('gets 409 for a reply that another client has replaced', async () => {
    const { id, stored } = await chat();
    const again = { id, trigger: 'regenerate-message', messages: stored.slice(0, 5), messageId: stored[5]?.id };
    provided.provider.reply(replyWith('AGAIN'));
    await chunksOf(await post(again));
    const after = await load(id);
    expect(texts(after).at(-1)).toBe('AGAIN');
    expect(await errorIn(await post(again))).toEqual({ status: 409, code: 'message_superseded', param: 'messages' });
    expect(await load(id)).toEqual(after);
  });

  it('gets 400 for an unknown trigger, and sends nothing', async () => {
    const { id, stored } = await chat();
    for (const trigger of ['regenerate', '', 7]) {
      const rejected = await errorIn(await post({ id, trigger, messages: stored.slice(0, 5) }));
      expect(rejected).toEqual({ status: 400, code: 'invalid_request', param: 'trigger' });
    }
    expect(await load(id)).toEqual(stored);
  });

  it('finds the message by its place, also with replies that the page made up, or alone', async () => {
    const { id } = await chat();
    const greeting = { id: 'greeting', role: 'assistant', parts: [{ type: 'text', text: 'Welcome' }] };
    provided.provider.reply(replyWith('DREI'));
    const edited = { id, trigger: 'submit-message', messageId: 'made-up' };
    const messages = [greeting, asked('one'), asked('two'), { ...asked('drei'), id: 'made-up' }];
    expect(textOf(await chunksOf(await post({ ...edited, messages })))).toBe('DREI');
    expect(texts(await load(id))).toEqual(['one', 'ONE', 'two', 'TWO', 'drei', 'DREI']);
    provided.provider.reply(replyWith('TROIS'));
    const alone = { id, trigger: 'regenerate-message', messages: [asked('drei')] };
    expect(textOf(await chunksOf(await post(alone)))).toBe('TROIS');
    expect(texts(await load(id))).toEqual(['one', 'ONE', 'two', 'TWO', 'drei', 'TROIS']);
  });

  it('finds a message that is not among the newest items', async () => {
    const id = randomUUID();
    provided.provider.reply(replyWith('REPLY'));
    for (let turn = 0; turn <= LIMITS.pageSize / 2; turn += 1) await chunksOf(await say(`Message ${turn}`, { id }));
    provided.provider.reply(replyWith('EINS'));
    const messages = [{ ...asked('eins'), id: 'made-up' }];
    await chunksOf(await post({ id, trigger: 'submit-message', messages, messageId: 'made-up' }));
    expect(texts(await load(id))).toEqual(['eins', 'EINS']);
  });

  it('needs a deployment that lets its visitors edit', async () => {
    const { id: fixed } = await makeDeployment(
      provided.service,
      {},
      { kind: 'agent', authRequired: false, allowEditing: false },
    );
    const visitor = requestsOf(provided.service);
    const id = randomUUID();
    const messages = [asked('one')];
    provided.provider.reply(replyWith('ONE'));
    await chunksOf(await visitor.post({ id, messages, trigger: 'submit-message' }, { deploymentId: fixed, key: null }));
    const again = { id, messages, trigger: 'regenerate-message' };
    expect(await errorIn(await visitor.post(again, { deploymentId: fixed, key: null }))).toMatchObject({
      ...{ status: 403, code: 'forbidden' },
    });
    expect(textOf(await chunksOf(await visitor.post(again, { deploymentId: fixed })))).toBe('ONE');
  });

  it('does not reach the conversations of another environment', async () => {
    const { id, stored } = await chat();
    const body = { id, trigger: 'regenerate-message', messages: stored.slice(0, 5) };
    const response = await requestsOf(provided.service).post(body, { deploymentId, key: provided.service.keys.test });
    expect(await errorIn(response)).toMatchObject({ status: 409, code: 'message_superseded' });
    expect(await load(id)).toEqual(stored);
  });
});
