import { Window } from 'happy-dom';
import { createElement, type ReactNode, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ParleyClient } from '../../src/sdk/index.ts';
import {
  type UseAgent,
  type UseConversation,
  type UseTrigger,
  useAgent,
  useConversation,
  useTrigger,
} from '../../src/sdk/react/index.ts';
import { answersTo, clientFor, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let client: ParleyClient;
const PAGE = ['window', 'document', 'navigator'] as const;
const page = globalThis as { [Name in (typeof PAGE)[number]]?: unknown };
const before = new Map<(typeof PAGE)[number], PropertyDescriptor | undefined>();
let createRoot: typeof import('react-dom/client').createRoot;
let flushSync: typeof import('react-dom').flushSync;

beforeAll(async () => {
  service = await startService();
  client = clientFor(service, { dangerouslyAllowBrowserApiKey: true });
  const window = new Window();
  const globals = { window, document: window.document, navigator: window.navigator };
  // Newer versions of Node define a read-only navigator.
  for (const name of PAGE) {
    before.set(name, Object.getOwnPropertyDescriptor(page, name));
    Object.defineProperty(page, name, { value: globals[name], configurable: true, writable: true });
  }
  // React reads the document when it is loaded.
  ({ createRoot } = await import('react-dom/client'));
  ({ flushSync } = await import('react-dom'));
});
afterAll(async () => {
  await service.close();
  // React's scheduler may still have work for the last unmounted root.
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(page, name, descriptor);
    else delete page[name];
  }
});

const mounted: { unmount(): void }[] = [];
afterEach(() => {
  for (const one of mounted.splice(0)) one.unmount();
});

/** Renders a component that calls a hook, in StrictMode. */
function show<Result>(use: (id: string | undefined) => Result, id?: string) {
  const seen: Result[] = [];
  function Shown({ id: current }: { id: string | undefined }): ReactNode {
    seen.push(use(current));
    return null;
  }
  const root = createRoot(document.createElement('div'));
  const render = (next?: string) =>
    flushSync(() => root.render(createElement(StrictMode, null, createElement(Shown, { id: next }))));
  render(id);
  const shown = {
    render,
    now: () => seen.at(-1) as Result,
    /** Resolves with the first result that matches. */
    when: (matches: (result: Result) => boolean) =>
      until(async () => {
        const result = seen.at(-1);
        return result !== undefined && matches(result) ? result : undefined;
      }),
    unmount: () => flushSync(() => root.unmount()),
  };
  mounted.push(shown);
  return shown;
}

const hookOfAgent = (id: string | undefined): UseAgent => useAgent(client, id);
const hookOfChat = (): UseConversation => useConversation(client);
const hookOfTrigger = (id: string | undefined): UseTrigger => useTrigger(client, id);

describe('React hooks', () => {
  it('useAgent runs a conversation to its completion', async () => {
    const shown = show(hookOfAgent);
    expect(shown.now().status).toBe('idle');
    const turn = shown.now().start({ content: '/ask\n/complete\n/say Bye.', clientCapabilities: ['ask_user'] });
    const { pendingToolCalls, resolveTool } = await shown.when(({ status }) => status === 'awaiting_input');
    await turn;
    const [call] = pendingToolCalls;
    await resolveTool(call?.callId ?? '', answersTo(call?.arguments));
    const done = await shown.when(({ status }) => status === 'success');
    expect(done.conversationStatus).toBe('completed');
    expect(textsOf(done).at(-1)).toBe('Bye.');
  });

  it('useAgent opens the conversation with its ID, follows a changed ID and reports failures', async () => {
    const [one, other] = await Promise.all(['One', 'Other'].map(async (word) => (await service.agentTurn(word)).body));
    const shown = show(hookOfAgent, one.conversation_id);
    expect(textsOf(await shown.when(({ status }) => status === 'success'))[0]).toBe('One');
    await service.agentTurn('Live', { conversation_id: one.conversation_id });
    await shown.when(({ messages }) => messages.length === 4);
    shown.render(other.conversation_id);
    await shown.when((state) => textsOf(state)[0] === 'Other');
    shown.render('00000000-0000-4000-8000-0000000000ff');
    expect(await shown.when(({ status }) => status === 'error')).toMatchObject({ error: { code: 'not_found' } });
  });

  it('useAgent replaces turns and shows the variants of a message', async () => {
    const { conversation_id } = (await service.agentTurn('One')).body;
    const shown = show(hookOfAgent, conversation_id);
    const { messages } = await shown.when(({ status }) => status === 'success');
    await shown.now().edit(messages[0]?.id ?? 0, 'Two');
    const edited = await shown.when((state) => textsOf(state)[0] === 'Two' && state.status === 'success');
    expect(textsOf(edited)).toEqual(['Two', 'You said: Two']);
    await shown.now().regenerate();
    const again = await shown.when((state) => state.messages[1]?.variants !== undefined);
    expect(again.messages.map(({ variants }) => variants?.position)).toEqual([2, 2]);
    await shown.now().selectVariant(again.messages[0]?.variants?.itemIds[0] ?? '');
    await shown.when((state) => textsOf(state)[0] === 'One');
    const { conversationId } = await shown.now().fork();
    expect(conversationId).not.toBe(conversation_id);
  });

  it('useAgent closes its feed when the component unmounts', async () => {
    const feeds: (AbortSignal | null | undefined)[] = [];
    const watching = clientFor(service, {
      dangerouslyAllowBrowserApiKey: true,
      fetch: (input, init) => {
        if (String(init?.body).includes('subscription')) feeds.push(init?.signal);
        return fetch(input, init);
      },
    });
    const { conversation_id } = (await service.agentTurn('Hello')).body;
    const shown = show((id) => useAgent(watching, id), conversation_id);
    await shown.when(({ status }) => status === 'success');
    await until(async () => feeds.some((signal) => signal?.aborted === false));
    shown.unmount();
    expect(feeds.every((signal) => signal?.aborted)).toBe(true);
    await expect(shown.now().continue()).rejects.toMatchObject({ code: 'invalid_call' });
  });

  it('useAgent shows an empty state when its ID becomes undefined', async () => {
    const { conversation_id } = (await service.agentTurn('Hello')).body;
    const shown = show(hookOfAgent, conversation_id);
    await shown.when(({ status }) => status === 'success');
    shown.render(undefined);
    expect(shown.now()).toMatchObject({ status: 'idle', conversationId: null, messages: [] });
    const started = await shown.now().start({ content: 'New' });
    expect(started.conversationId).not.toBe(conversation_id);
    await shown.when((state) => textsOf(state)[0] === 'New');
  });

  it('useAgent calls the handlers of the latest render', async () => {
    let version = 'first';
    const shown = show((id) => {
      const rendered = version;
      return useAgent(client, id, { clientTools: { lookup_customer: () => ({ tier: rendered }) } });
    });
    version = 'second';
    shown.render();
    await shown.now().start({ content: '/call lookup_customer {"customer_id":"A"}\n/say done' });
    const { history } = await shown.now().settled();
    expect(history).toMatchObject([{}, { type: 'client_tool', output: { tier: 'second' } }, {}]);
  });

  it('useAgent and useConversation follow a changed client', async () => {
    const { conversation_id } = (await service.agentTurn('Hello')).body;
    const urls: string[] = [];
    const other = clientFor(service, {
      dangerouslyAllowBrowserApiKey: true,
      fetch: (input, init) => {
        urls.push(String(input));
        return fetch(input, init);
      },
    });
    let current = client;
    const shown = show((id) => ({ agent: useAgent(current, id), chat: useConversation(current) }), conversation_id);
    await shown.when(({ agent }) => agent.status === 'success');
    const { conversation } = shown.now().chat;
    current = other;
    shown.render(conversation_id);
    await shown.when(({ agent }) => agent.status === 'success' && urls.length > 0);
    expect(shown.now().chat.conversation).not.toBe(conversation);
  });

  it('useConversation returns conversation, id, status, live, data, messages and conversations', async () => {
    const shown = show(hookOfChat);
    expect(shown.now()).toMatchObject({
      id: null,
      status: 'idle',
      live: null,
      data: null,
      messages: [],
      conversations: [],
    });
    const turn = shown.now().conversation.stream({ content: '/stream 20', meta: { hook: true } });
    await shown.when(({ live }) => (live ?? '').includes('word2'));
    await turn;
    const done = await shown.when(({ status }) => status === 'success');
    expect(done).toMatchObject({ live: null, id: done.data?.conversationId });
    expect(done.messages).toHaveLength(2);
    await done.conversation.list({ meta: { hook: true } });
    await shown.when(({ conversations }) => conversations.length === 1);
  });

  it('useConversation shows a reply of another client while it is written, until it unmounts', async () => {
    const feeds: (AbortSignal | null | undefined)[] = [];
    const watching = clientFor(service, {
      dangerouslyAllowBrowserApiKey: true,
      fetch: (input, init) => {
        if (String(init?.body).includes('subscription')) feeds.push(init?.signal);
        return fetch(input, init);
      },
    });
    const other = client.createConversation();
    const { conversationId } = await other.run({ content: 'Hello' });
    const shown = show(() => useConversation(watching));
    shown.now().conversation.start(conversationId);
    await shown.when(({ messages }) => messages.length === 2);
    const turn = other.stream({ content: '/stream 40' });
    expect((await shown.when(({ live }) => (live ?? '').includes('word2'))).status).toBe('running');
    await turn;
    await shown.when(({ live, messages }) => live === null && messages.length === 4);
    shown.unmount();
    expect(feeds.length).toBeGreaterThan(0);
    expect(feeds.every((signal) => signal?.aborted)).toBe(true);
  });

  it('useTrigger reads a trigger and then another one', async () => {
    const { id } = await client.trigger.create({ content: 'Hi' });
    const shown = show(hookOfTrigger);
    expect(shown.now()).toEqual({ trigger: null, status: 'idle', error: null });
    shown.render(id);
    expect(await shown.when(({ status }) => status === 'success')).toMatchObject({ trigger: { id, expired: false } });
    shown.render('nothing0');
    expect(await shown.when(({ status }) => status === 'error')).toMatchObject({ error: { code: 'not_found' } });
  });

  it('render on a server in the initial state', () => {
    function All(): ReactNode {
      return [
        useAgent(client, 'some-id').status,
        useConversation(client).status,
        useTrigger(client, 'x').status,
      ].join();
    }
    expect(renderToString(createElement(All))).toBe('idle,idle,idle');
  });
});
