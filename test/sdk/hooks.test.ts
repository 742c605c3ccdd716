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
  // Newer Nodes have a navigator of their own, which cannot be assigned to.
  for (const name of PAGE) {
    before.set(name, Object.getOwnPropertyDescriptor(page, name));
    Object.defineProperty(page, name, { value: globals[name], configurable: true, writable: true });
  }
  // React looks for its page when it is loaded.
  ({ createRoot } = await import('react-dom/client'));
  ({ flushSync } = await import('react-dom'));
});
afterAll(async () => {
  await service.close();
  // React's scheduler may have something left to do for what was unmounted last.
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

/** Shows what a hook answers, in StrictMode. */
function show<Answer>(use: (id: string | undefined) => Answer, id?: string) {
  const seen: Answer[] = [];
  function Shown({ id: own }: { id: string | undefined }): ReactNode {
    seen.push(use(own));
    return null;
  }
  const root = createRoot(document.createElement('div'));
  const render = (own?: string) =>
    flushSync(() => root.render(createElement(StrictMode, null, createElement(Shown, { id: own }))));
  render(id);
  const shown = {
    render,
    now: () => seen.at(-1) as Answer,
    /** What it answers once that holds. */
    when: (holds: (answer: Answer) => boolean) =>
      until(async () => {
        const answer = seen.at(-1);
        return answer !== undefined && holds(answer) ? answer : undefined;
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
  it('useAgent starts, asks, is answered and completed', async () => {
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

  it('useAgent opens the conversation that it is given, another one when that changes, and tells what fails', async () => {
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

  it('useAgent ends all that it has under way with its component', async () => {
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

  it('useConversation gives conversation, id, status, live, data, messages and conversations', async () => {
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

  it('useTrigger reads a trigger, and the next one', async () => {
    const { id } = await client.trigger.create({ content: 'Hi' });
    const shown = show(hookOfTrigger);
    expect(shown.now()).toEqual({ trigger: null, status: 'idle', error: null });
    shown.render(id);
    expect(await shown.when(({ status }) => status === 'success')).toMatchObject({ trigger: { id, expired: false } });
    shown.render('nothing0');
    expect(await shown.when(({ status }) => status === 'error')).toMatchObject({ error: { code: 'not_found' } });
  });

  it('are rendered on a server in the state that a browser begins with', () => {
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
