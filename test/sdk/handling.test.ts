import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expireHandling } from '../../src/domain/agent/handling/expired-handling.ts';
import {
  type AgentController,
  type AgentOptions,
  type ChatState,
  type ConversationController,
  createClient,
} from '../../src/sdk/index.ts';
import { HANDS_OVER, type Person, personOf } from '../support/handling.ts';
import { REPLY } from '../support/paused-turns.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { stateOf, textsOf } from '../support/sdk.ts';
import { makeDeployment } from '../support/tenants.ts';

let parts: ProviderService;
let anna: Person;
let agentId: string;
let chatId: string;
beforeAll(async () => {
  parts = await startProviderService();
  anna = await personOf(parts.service);
  agentId = await parts.agent({ allowHandOver: true });
  chatId = (await makeDeployment(parts.service, {}, { kind: 'chat' })).id;
});
afterAll(() => parts.close());
beforeEach(() => parts.provider.reply(REPLY));

const endings = new Set<() => void>();
afterEach(() => {
  for (const end of endings) end();
  endings.clear();
});

const clientOf = (deploymentId: string, fetch?: typeof globalThis.fetch) =>
  createClient({ baseUrl: parts.service.url, apiKey: parts.service.key, deploymentId, ...(fetch && { fetch }) });

function newAgent(options: AgentOptions = {}, fetch?: typeof globalThis.fetch): AgentController {
  const agent = clientOf(agentId, fetch).createAgent(options);
  endings.add(agent.close);
  return agent;
}

function newChat(id?: string): ConversationController {
  const chat = clientOf(chatId).createConversation();
  chat.start(id);
  endings.add(chat.follow());
  return chat;
}

function chatState(chat: ConversationController, matches: (state: ChatState) => boolean): Promise<ChatState> {
  return new Promise((resolve) => {
    const check = (state: ChatState) => matches(state) && resolve(state);
    chat.subscribe(check);
    check(chat.getState());
  });
}

const ANNA = { displayName: 'Anna', kind: 'member' } as const;
const BY_ANNA = { mode: 'member', name: 'Anna' } as const;

const started = async (agent = newAgent()) => (await agent.start({ content: 'Hello' })).conversationId ?? '';

describe('an agent conversation that a person takes over', () => {
  it('shows the person, their messages and the return of the assistant to every client', async () => {
    const [agent, watcher] = [newAgent(), newAgent()];
    const id = await started(agent);
    await watcher.open(id);
    expect(agent.getState().handling).toBeNull();
    await anna.takeOver(id, 'Anna');
    for (const one of [agent, watcher]) await stateOf(one, ({ handling }) => handling?.name === 'Anna');
    const requests = parts.provider.requests.length;
    const modes = new Set<string | undefined>();
    for (const one of [agent, watcher]) one.subscribe(({ handling }) => modes.add(handling?.mode));
    expect(await agent.continue({ content: 'Are you there?' })).toMatchObject({
      ...{ status: 'success', error: null, live: null, handling: BY_ANNA },
      messages: [{}, {}, { role: 'user', content: [{ text: 'Are you there?' }] }],
    });
    expect(parts.provider.requests.length).toBe(requests);
    await anna.say(id, 'Yes, I am.');
    for (const one of [agent, watcher]) {
      const state = await stateOf(one, ({ messages }) => messages.length === 4);
      expect(state.messages[3]).toMatchObject({ role: 'assistant', author: ANNA });
      expect(state.messages[1]).not.toHaveProperty('author');
      expect(state.status).toBe('success');
    }
    expect(modes).toEqual(new Set(['member']));
    await anna.handBack(id);
    for (const one of [agent, watcher]) {
      const { history } = await stateOf(one, ({ handling }) => handling === null);
      const changes = history.filter(({ type }) => type === 'handling');
      expect(changes).toMatchObject([
        { mode: 'member', author: ANNA },
        { mode: 'assistant', author: ANNA },
      ]);
      expect(history.map(({ type }) => type).join()).toBe('message,message,handling,message,message,handling');
    }
    expect(agent.getState().history).toEqual(watcher.getState().history);
    expect((await agent.continue({ content: 'Thanks' })).messages).toHaveLength(6);
  });

  it.each([
    ['the event stream', {}],
    ['polling', { live: false, pollIntervalMs: 500 }],
  ])('has the same state after a reload, even if the first page lacks the change, with %s', async (_way, options) => {
    const id = await started();
    await anna.takeOver(id, 'Anna');
    for (const text of ['One', 'Two', 'Three']) await anna.say(id, text);
    const agent = newAgent({ ...options, limit: 2 });
    const opened = await agent.open(id);
    expect([opened.handling, textsOf(opened), opened.messages[0]?.author]).toEqual([BY_ANNA, ['Two', 'Three'], ANNA]);
    expect((await clientOf(agentId).agent.get(id)).handling).toEqual(BY_ANNA);
    await agent.loadMoreHistory({ limit: 20 });
    expect(agent.getState().history[2]).toMatchObject({ type: 'handling', mode: 'member', author: ANNA });
    await anna.handBack(id);
    await stateOf(agent, ({ handling }) => handling === null);
  });

  it('works with the REST API alone when GraphQL is blocked', async () => {
    const id = await started();
    await anna.takeOver(id, 'Anna');
    const blocked = new Response('blocked', { status: 403 });
    const agent = newAgent({ pollIntervalMs: 500 }, async (input, init) =>
      String(input).includes('/graphql') ? blocked.clone() : fetch(input, init),
    );
    expect((await agent.open(id)).history.at(-1)).toMatchObject({ type: 'handling', mode: 'member', author: ANNA });
    expect((await agent.continue({ content: 'Hello?' })).handling).toEqual(BY_ANNA);
  });

  it('waits for a person after the assistant has handed it over', async () => {
    parts.provider.reply(...HANDS_OVER);
    const state = await newAgent().start({ content: 'I want a refund' });
    expect([state.status, state.handling]).toEqual(['success', { mode: 'waiting', name: null }]);
    expect(state.history.find(({ type }) => type === 'handling')).toMatchObject({ mode: 'waiting' });
  });

  it('waits for another person when the person leaves, whose name it no longer has', async () => {
    const agent = newAgent();
    const id = await started(agent);
    await anna.takeOver(id, 'Anna');
    const { services } = parts.service.service;
    await services.stores.prisma.conversation.updateMany({ where: { id }, data: { handlingUntil: new Date(0) } });
    await expireHandling(services);
    const { handling, history } = await stateOf(agent, (state) => state.handling?.mode === 'waiting');
    expect([handling?.name, history.at(-1)]).toEqual([
      null,
      expect.objectContaining({ mode: 'waiting', author: ANNA }),
    ]);
  });

  it('shows a change that the service reads after the conversation itself', async () => {
    const id = await started();
    await anna.takeOver(id, 'Anna');
    const before = { mode: 'ASSISTANT', since: null, author: null };
    const agent = newAgent({}, async (input, init) => {
      const response = await fetch(input, init);
      if (!String(init?.body).startsWith('{"query":"query')) return response;
      const { data } = (await response.json()) as { data: { conversation: object } };
      return Response.json({ data: { conversation: { ...data.conversation, handling: before } } });
    });
    expect((await agent.open(id)).handling).toEqual(BY_ANNA);
  });

  it('shows when a person came and left although the message between was edited', async () => {
    const agent = newAgent();
    const id = await started(agent);
    await anna.takeOver(id, 'Anna');
    const { messages } = await agent.continue({ content: 'Hello?' });
    await anna.handBack(id, { answer: false });
    await stateOf(agent, ({ handling }) => handling === null);
    const modes = new Set<string | undefined>();
    agent.subscribe(({ handling }) => modes.add(handling?.mode));
    const { history } = await agent.edit(messages.at(-1)?.id ?? 0, 'Hello again?');
    expect(history.filter(({ type }) => type === 'handling')).toMatchObject([
      { mode: 'member' },
      { mode: 'assistant' },
    ]);
    await agent.continue({ content: 'And now?' });
    expect([modes, (await newAgent().open(id)).handling]).toEqual([new Set([undefined]), null]);
  });

  it('does not show the handling of a page that is older than an event', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    const agent = newAgent({}, async (input, init) => {
      const response = await fetch(input, init);
      const isPage = String(init?.body).startsWith('{"query":"query');
      if (isPage && isHeld) await held;
      return response;
    });
    const id = await started(agent);
    isHeld = true;
    const turn = agent.continue({ content: 'More' });
    await stateOf(agent, ({ messages, runStatus }) => messages.length === 4 && runStatus === 'completed');
    await anna.takeOver(id, 'Anna');
    await stateOf(agent, ({ handling }) => handling !== null);
    isHeld = false;
    release();
    await turn;
    expect(agent.getState().handling).toEqual(BY_ANNA);
  });
});

describe('a chat conversation that a person takes over', () => {
  it('stores a streamed message without a reply, and shows what the person writes', async () => {
    const chat = newChat();
    const { conversationId: id, ...reply } = await chat.stream({ content: 'Hello' });
    expect(reply).not.toHaveProperty('handledBy');
    const watcher = newChat(id);
    await anna.takeOver(id, 'Anna');
    for (const one of [chat, watcher]) await chatState(one, ({ handling }) => handling?.name === 'Anna');
    const lives: unknown[] = [];
    chat.subscribe(({ live }) => lives.push(live));
    for (const way of ['stream', 'run'] as const) {
      const turn = await chat[way]({ content: `By ${way}` });
      expect([turn.handledBy, turn.content]).toEqual(['member', '']);
      expect(chat.getState()).toMatchObject({ status: 'success', live: null, handling: BY_ANNA });
    }
    expect(new Set(lives)).toEqual(new Set([null]));
    await anna.say(id, 'Yes?');
    for (const one of [chat, watcher]) {
      const state = await chatState(one, ({ messages }) => messages.length === 5);
      expect(textsOf(state)).toEqual(['Hello', 'Hi', 'By stream', 'By run', 'Yes?']);
      expect([state.messages[4]?.author, state.live]).toEqual([ANNA, null]);
      await chatState(one, ({ status }) => status !== 'running');
    }
    await anna.handBack(id);
    for (const one of [chat, watcher]) {
      const { handlingChanges } = await chatState(one, ({ handling }) => handling === null);
      expect(handlingChanges.map(({ mode, author }) => [mode, author?.displayName])).toEqual([
        ['member', 'Anna'],
        ['assistant', 'Anna'],
      ]);
    }
  });

  it('has the handling and its changes after a reload, and loaded messages have their author', async () => {
    const { conversationId: id } = await newChat().run({ content: 'Hello' });
    await anna.takeOver(id, 'Anna');
    await anna.say(id, 'Hi there');
    const chat = newChat(id);
    const { handlingChanges } = await chatState(chat, ({ handling }) => handling?.name === 'Anna');
    expect(handlingChanges).toMatchObject([{ mode: 'member', author: ANNA }]);
    const { items } = await chat.loadMessages({ page: 1 });
    expect(items.map(({ author }) => author)).toEqual([undefined, undefined, ANNA]);
  });

  it('ends a turn of this client without a follower with the handling', async () => {
    const { conversationId: id } = await newChat().run({ content: 'Hello' });
    await anna.takeOver(id, 'Anna');
    const chat = clientOf(chatId).createConversation();
    chat.start(id);
    await chat.stream({ content: 'Are you there?' });
    expect(chat.getState()).toMatchObject({ status: 'success', live: null, handling: BY_ANNA });
    expect(textsOf(chat.getState()).at(-1)).toBe('Are you there?');
  });
});
