import { randomUUID } from 'node:crypto';
import { type UIMessage, type UseChatHelpers, useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { createElement } from 'react';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../support/actions.ts';
import { type DataStore, directoryStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { dictate } from '../support/dictation.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { openReactPage, type ReactPage } from '../support/react-page.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { callsIn, stopChat, storedMessages, textIn, transportOf } from '../support/ui-chat.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let page: ReactPage;
beforeAll(async () => {
  page = await openReactPage();
});
afterAll(() => page.close());

interface Shown {
  readonly deploymentId: string;
  readonly id: string;
  readonly resume?: boolean;
  /** The stored messages, which the page has loaded. */
  readonly messages?: UIMessage[];
}

const mounted = new Set<{ unmount(): void }>();
afterEach(() => {
  for (const one of mounted) one.unmount();
  mounted.clear();
});

/** Renders a page with `useChat` of the AI SDK. */
function show(process: ServiceProcess, { deploymentId, id, resume = false, messages = [] }: Shown) {
  let latest: UseChatHelpers<UIMessage> | undefined;
  const transport = transportOf(process, { deploymentId, body: { client_capabilities: ['lookup'] } });
  function Page() {
    latest = useChat({ id, messages, resume, transport, sendAutomaticallyWhen: isComplete });
    return null;
  }
  const root = page.createRoot(document.createElement('div'));
  page.flushSync(() => root.render(createElement(Page)));
  const shown = {
    now: () => latest as UseChatHelpers<UIMessage>,
    reply: () => latest?.messages.at(-1),
    when: (holds: (chat: UseChatHelpers<UIMessage>) => boolean) =>
      until(async () => (latest && holds(latest) ? latest : undefined), {
        withinMs: busyMs(RECOVERY_MS + 10_000),
      }).catch((cause: unknown) => {
        const { status, error, messages } = latest ?? {};
        throw new Error(`The page shows ${JSON.stringify({ status, error: error?.message, messages })}`, { cause });
      }),
    unmount: () => page.flushSync(() => root.unmount()),
  };
  mounted.add(shown);
  return shown;
}

const isComplete = (options: { messages: UIMessage[] }) =>
  lastAssistantMessageIsCompleteWithToolCalls(options) || lastAssistantMessageIsCompleteWithApprovalResponses(options);

const says = (text: string) => (chat: UseChatHelpers<UIMessage>) => textIn(chat.messages.at(-1)) === text;

describe.each([
  { name: 'PostgreSQL', isShared: true, makeStore: postgresStore },
  { name: 'the embedded database', isShared: false, makeStore: directoryStore },
])('useChat of the AI SDK, on $name', ({ isShared, makeStore }) => {
  describe.skipIf(isShared && !POSTGRES_URL)('with a service that is killed', () => {
    let store: DataStore;
    let provider: FakeProvider;
    let one: ServiceProcess;
    let other: ServiceProcess;
    let deploymentId: string;
    let bank: Receiver;
    let charging: string;
    const start = () =>
      startOn(store, { ALLOW_LOOPBACK: 'true', DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });

    beforeAll(async () => {
      [store, provider] = await Promise.all([makeStore(), startFakeProvider()]);
      one = await start();
      // Only one process can use the embedded database.
      other = isShared ? await start() : one;
      const clientTools = [{ name: 'lookup', description: '', inputSchema: { type: 'object' } }];
      ({ deploymentId } = await publishedWorkflow(workflowsOf(one), { recovery: 'CONTINUE', clientTools }));
      bank = await startReceiver();
      await connect(one, { kind: 'http', name: 'Bank', url: bank.url });
      const charge = { name: 'charge', integration: 'Bank', method: 'POST', url: '/', inputSchema: { type: 'object' } };
      const httpActions = [{ ...charge, approval: { mode: 'ALWAYS', approver: 'EITHER' } }];
      ({ deploymentId: charging } = await publishedWorkflow(workflowsOf(one), { httpActions }));
    });
    afterAll(async () => {
      await killAll();
      await Promise.all([provider.close(), bank.close()]);
      await store.remove();
    });

    /** Sends a message, and waits for the beginning of its reply. */
    async function begin(id: string) {
      const dictation = dictate(provider);
      const chat = show(one, { deploymentId, id });
      const sent = chat.now().sendMessage({ text: 'Hello' });
      dictation.say('The beginning');
      await chat.when(says('The beginning'));
      return { chat, dictation, sent };
    }

    it('shows the question and the same reply after a reload in mid-answer, at the other process', async () => {
      const id = randomUUID();
      const { chat, dictation, sent } = await begin(id);
      const messageId = chat.reply()?.id;
      // As a browser does when it leaves the page.
      await chat.now().stop();
      chat.unmount();
      await sent;
      const messages = await storedMessages(other, id, deploymentId);
      const reloaded = show(other, { deploymentId, id, resume: true, messages });
      await reloaded.when(says('The beginning'));
      expect(reloaded.now().messages.map(textIn)).toEqual(['Hello', 'The beginning']);
      dictation.say(' and the end');
      dictation.end();
      await reloaded.when((now) => says('The beginning and the end')(now) && now.status === 'ready');
      expect(reloaded.reply()?.id).toBe(messageId);
    });

    it('sends the output of a client tool to the other process', async () => {
      provider.reply(
        { kind: 'answer', calls: [{ name: 'lookup', arguments: '{"id":7}' }] },
        { kind: 'answer', deltas: ['Thank you.'] },
      );
      const id = randomUUID();
      const chat = show(one, { deploymentId, id });
      await chat.now().sendMessage({ text: 'Hello' });
      await chat.when(({ status }) => status === 'ready');
      chat.unmount();
      const reloaded = show(other, { deploymentId, id, resume: true });
      await reloaded.when(({ status }) => status === 'ready' && callsIn(reloaded.reply()).length === 1);
      const [call] = callsIn(reloaded.reply());
      await reloaded
        .now()
        .addToolOutput({ tool: 'lookup', toolCallId: call?.toolCallId ?? '', output: { name: 'Ann' } });
      await reloaded.when((now) => says('Thank you.')(now) && now.status === 'ready');
      expect(callsIn(reloaded.reply())).toMatchObject([{ input: { id: 7 }, output: { name: 'Ann' } }]);
    });

    it.each([
      { approved: true, state: 'output-available', calls: 1 },
      { approved: false, state: 'output-denied', calls: 0 },
    ])('shows an approval after a reload, and sends its answer: approved $approved', async (expected) => {
      const before = bank.received.length;
      provider.reply(
        { kind: 'answer', calls: [{ name: 'charge', arguments: '{"amount":5}' }] },
        { kind: 'answer', deltas: ['Done.'] },
      );
      const id = randomUUID();
      const chat = show(one, { deploymentId: charging, id });
      await chat.now().sendMessage({ text: 'Charge me' });
      await chat.when(() => callsIn(chat.reply())[0]?.state === 'approval-requested');
      chat.unmount();
      const reloaded = show(other, { deploymentId: charging, id, resume: true });
      await reloaded.when(({ status }) => status === 'ready' && callsIn(reloaded.reply()).length === 1);
      const [call] = callsIn(reloaded.reply());
      expect(call).toMatchObject({ toolName: 'charge', state: 'approval-requested', input: { amount: 5 } });
      expect(bank.received.length).toBe(before);
      await reloaded.now().addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: expected.approved });
      await reloaded.when((now) => says('Done.')(now) && now.status === 'ready');
      expect(callsIn(reloaded.reply())).toMatchObject([{ toolName: 'charge', state: expected.state }]);
      expect(bank.received.length - before).toBe(expected.calls);
    });

    it('stops a turn at the other process, and keeps the text so far', async () => {
      const id = randomUUID();
      const { chat, sent } = await begin(id);
      expect((await stopChat(other, id, deploymentId)).status).toBe(200);
      await sent;
      await chat.when(({ status }) => status === 'ready');
      expect(textIn(chat.reply())).toBe('The beginning');
    });

    it('shows the whole reply after a reload if the process was killed in mid-answer', async () => {
      // Any process can take the message, but it must be lost with the first one.
      if (isShared) await other.kill('SIGKILL');
      const id = randomUUID();
      const { chat, sent } = await begin(id);
      const again = dictate(provider);
      await one.kill('SIGKILL');
      await sent;
      await chat.when(({ status }) => status === 'error');
      other = await start();
      const reloaded = show(other, { deploymentId, id, resume: true });
      // A page that is reloaded before the recovery shows the beginning, too.
      const last = () => textIn(reloaded.reply()).split('|').at(-1);
      again.say('The whole ');
      // A turn that ended before the page asks for it would leave the page empty.
      await reloaded.when(() => last() === 'The whole ');
      again.say('reply');
      again.end();
      await reloaded.when(({ status }) => last() === 'The whole reply' && status === 'ready');
      expect(reloaded.now().messages).toHaveLength(1);
    });

    it.skipIf(!isShared)('tells a page at the surviving process that the step was restarted', async () => {
      // The turn can only run in this process.
      await Promise.all([one, other].map((process) => process.kill('SIGKILL')));
      one = await start();
      const id = randomUUID();
      const { sent } = await begin(id);
      other = await start();
      const survivor = show(other, { deploymentId, id, resume: true });
      await survivor.when(says('The beginning'));
      provider.reply({ kind: 'answer', deltas: ['The whole reply'] });
      await one.kill('SIGKILL');
      await sent;
      await survivor.when((now) => says('The beginning|The whole reply')(now) && now.status === 'ready');
      expect(survivor.reply()?.parts).toMatchObject([
        { type: 'step-start' },
        { type: 'text', text: 'The beginning' },
        { type: 'data-step-restarted', data: { text_id: expect.stringMatching(/:1$/) } },
        { type: 'text', text: 'The whole reply', state: 'done' },
      ]);
    });
  });
});
