import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHARGE, connect, publishScripted } from '../support/actions.ts';
import { AI_SDKS } from '../support/ai-sdks.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { callsIn, chatOf, chunksOf, stopChat, textIn, whenChat } from '../support/ui-chat.ts';
import { errorIn, requestsOf, textOf, type UiRequests } from '../support/ui-requests.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let bank: Receiver;
let charging: string;
beforeAll(async () => {
  [service, bank] = await Promise.all([startService(), startReceiver()]);
  await connect(service, { kind: 'http', name: 'Bank', url: bank.url });
  const draft = { httpActions: [{ ...CHARGE, approval: { mode: 'ALWAYS', approver: 'EITHER' } }] };
  ({ deploymentId: charging } = await publishScripted(service, workflowsOf(service), draft));
});
afterAll(async () => {
  await Promise.all([service.close(), bank.close()]);
});

const post: UiRequests['post'] = (...args) => requestsOf(service).post(...args);
const say: UiRequests['say'] = (...args) => requestsOf(service).say(...args);
const reconnect: UiRequests['reconnect'] = (...args) => requestsOf(service).reconnect(...args);

const typesOf = (chunks: readonly { readonly type: string }[]) => chunks.map(({ type }) => type);

describe('the UI message stream', () => {
  it('streams a reply as chunks of one message, and continues the conversation of the chat', async () => {
    const id = randomUUID();
    const response = await say('Hello', { id });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-conversation-id': id,
      'access-control-allow-origin': '*',
    });
    const runId = response.headers.get('x-run-id');
    const chunks = await chunksOf(response);
    const metadata = { run_id: runId, createdAt: expect.any(String), model: 'demo' };
    expect(chunks[0]).toEqual({ type: 'start', messageId: runId, messageMetadata: metadata });
    expect([...new Set(typesOf(chunks))]).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'message-metadata'],
      'finish',
    ]);
    expect(chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')).toBe('You said: Hello');
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
    expect(textOf(await chunksOf(await say('/history', { id })))).toBe('["Hello","/history"]');
  });

  it('starts a chat for several racing requests once', async () => {
    const id = randomUUID();
    const responses = await Promise.all(['One', 'Two', 'Three'].map((text) => say(text, { id })));
    for (const response of responses) {
      if (response.status === 200) await chunksOf(response);
      else expect(await errorIn(response)).toMatchObject({ status: 409, code: 'run_in_progress' });
    }
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  });

  it('ends the stream of a failed turn with an error that has no internals', async () => {
    const chunks = await chunksOf(await say('/fail'));
    expect(chunks.at(-1)).toEqual({
      type: 'error',
      errorText: 'The model failed. Your message is stored. Send the next one.',
    });
  });

  it('takes files of a message', async () => {
    const file = { type: 'file', mediaType: 'text/plain', url: `data:text/plain;base64,${btoa('A note')}` };
    const id = randomUUID();
    const messages = [{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'Read' }, file] }];
    expect(textOf(await chunksOf(await post({ id, messages, trigger: 'submit-message' })))).toContain('You said: Read');
    const { body } = await service.send('GET', `/v1/runner/conversation/${id}/messages`);
    expect(body.items[0].content[1]).toEqual({ type: 'data', mime_type: 'text/plain', data: btoa('A note') });
  });
});

describe.each(AI_SDKS)('version $version of the AI SDK', (sdk) => {
  describe('client tools and approvals of the AI SDK', () => {
    it('runs a client tool, whose output may be a text, and continues the same message', async () => {
      const asked: unknown[] = [];
      const chat = chatOf(
        service,
        { sdk, body: { client_capabilities: ['lookup_customer'] } },
        {
          sendAutomaticallyWhen: sdk.ai.lastAssistantMessageIsCompleteWithToolCalls,
          onToolCall: ({ toolCall }) => {
            asked.push(toolCall.input);
            void chat.addToolOutput({ tool: 'lookup_customer', toolCallId: toolCall.toolCallId, output: 'Ann' });
          },
        },
      );
      await chat.sendMessage({ text: '/call lookup_customer {"customer_id":"c_7"}\n/say Thank you.' });
      await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'Thank you.');
      expect(asked).toEqual([{ customer_id: 'c_7' }]);
      expect(callsIn(chat.lastMessage)).toMatchObject([
        { type: 'tool-lookup_customer', state: 'output-available', output: 'Ann' },
      ]);
      expect(chat.messages).toHaveLength(2);
      const [call] = callsIn(chat.lastMessage);
      const { body } = await service.send('GET', `/v2/runner/${DEMO_AGENT_ID}/conversation/${chat.id}/history`);
      expect(body.items.find(({ call_id }: { call_id: string }) => call_id === call?.toolCallId)).toMatchObject({
        output: { result: 'Ann' },
      });
    });

    it('returns the continuation again if the same results are sent again, and 409 for others', async () => {
      const chat = chatOf(service, { sdk, body: { client_capabilities: ['lookup_customer'] } });
      await chat.sendMessage({ text: '/call lookup_customer {"customer_id":"c_7"}\n/say Thank you.' });
      const answered = (output: unknown) => ({
        ...chat.lastMessage,
        parts: chat.lastMessage?.parts.map((part) =>
          part.type === 'tool-lookup_customer' ? { ...part, state: 'output-available', output } : part,
        ),
      });
      const send = (output: unknown) =>
        post({ id: chat.id, messages: [answered(output)], trigger: 'submit-message', messageId: chat.lastMessage?.id });
      const first = await chunksOf(await send({ name: 'Ann' }));
      const again = await chunksOf(await send({ name: 'Ann' }));
      expect([textOf(first), textOf(again)]).toEqual(['Thank you.', 'Thank you.']);
      expect(typesOf(first)).not.toContain('tool-input-available');
      expect(await errorIn(await send({ name: 'Bob' }))).toMatchObject({ status: 409, code: 'action_result_conflict' });
    });

    it.each([
      { approved: true, state: 'output-available', calls: 1 },
      { approved: false, state: 'output-denied', calls: 0 },
    ])('sends the answer to an approval: approved $approved', async ({ approved, state, calls }) => {
      const before = bank.received.length;
      const chat = chatOf(
        service,
        { sdk, deploymentId: charging },
        {
          sendAutomaticallyWhen: sdk.ai.lastAssistantMessageIsCompleteWithApprovalResponses,
        },
      );
      await chat.sendMessage({ text: '/call charge {"amount":5}\n/say done' });
      const [waiting] = callsIn(chat.lastMessage);
      expect(waiting).toMatchObject({
        ...{ type: 'dynamic-tool', toolName: 'charge', state: 'approval-requested', input: { amount: 5 } },
      });
      await chat.addToolApprovalResponse({ id: waiting?.approval?.id ?? '', approved, reason: 'Because' });
      await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'done');
      expect(callsIn(chat.lastMessage)).toMatchObject([{ toolName: 'charge', state }]);
      expect(bank.received.length - before).toBe(calls);
    });
  });

  describe('a step that calls tools of the server and of the client', () => {
    it('continues with the output of the client alone', async () => {
      const clientTools = [{ name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } }];
      const { deploymentId } = await publishScripted(service, workflowsOf(service), {
        ...{ clientTools, httpActions: [{ ...CHARGE, approval: { mode: 'NEVER' } }] },
      });
      const chat = chatOf(
        service,
        { sdk, deploymentId, body: { client_capabilities: ['lookup'] } },
        { sendAutomaticallyWhen: sdk.ai.lastAssistantMessageIsCompleteWithToolCalls },
      );
      await chat.sendMessage({ text: '/call charge {} && /call lookup {}\n/say done' });
      // The charge can end before the client reads it. Then it comes after the other call.
      const calls = callsIn(chat.lastMessage);
      const lookup = calls.find(({ type }) => type === 'tool-lookup');
      expect(calls.map(({ state }) => state).sort()).toEqual(['input-available', 'output-available']);
      expect(lookup?.state).toBe('input-available');
      await chat.addToolOutput({ tool: 'lookup', toolCallId: lookup?.toolCallId ?? '', output: {} });
      await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'done');
    });
  });

  describe('approvals of members', () => {
    it('are not offered to the client, and the stream continues after the answer of a member', async () => {
      const httpActions = [{ ...CHARGE, approval: { mode: 'ALWAYS', approver: 'MEMBER' } }];
      const { deploymentId } = await publishScripted(service, workflowsOf(service), { httpActions });
      const chat = chatOf(service, { sdk, deploymentId });
      await chat.sendMessage({ text: '/call charge {"amount":5}\n/say done' });
      const calls = callsIn(chat.lastMessage);
      expect(calls).toMatchObject([{ toolName: 'approve_action', state: 'input-available', input: {} }]);
      expect(JSON.stringify(chat.lastMessage)).not.toContain('amount');
    });
  });

  describe('reconnecting and stopping', () => {
    it('returns 204 for a chat without a running turn, and for one that has not started', async () => {
      const id = randomUUID();
      expect((await reconnect(id)).status).toBe(204);
      await chunksOf(await say('Hello', { id }));
      expect((await reconnect(id)).status).toBe(204);
    });

    it('replays a waiting turn without running answered tools again', async () => {
      const chat = chatOf(
        service,
        { sdk, body: { client_capabilities: ['lookup_customer'] } },
        {
          sendAutomaticallyWhen: sdk.ai.lastAssistantMessageIsCompleteWithToolCalls,
        },
      );
      const step = '/call lookup_customer {"customer_id":"c_7"}';
      await chat.sendMessage({ text: `${step}\n${step}\n/say done` });
      const [first] = callsIn(chat.lastMessage);
      await chat.addToolOutput({
        tool: 'lookup_customer',
        toolCallId: first?.toolCallId ?? '',
        output: { name: 'Ann' },
      });
      await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && callsIn(lastMessage).length === 2);
      const chunks = await chunksOf(await reconnect(chat.id));
      expect(chunks.filter(({ type }) => type === 'tool-input-available')).toHaveLength(1);
      const asked: unknown[] = [];
      const other = chatOf(
        service,
        { sdk, id: chat.id },
        { onToolCall: ({ toolCall }) => void asked.push(toolCall.toolCallId) },
      );
      await other.resumeStream();
      expect(callsIn(other.lastMessage)).toMatchObject([
        { state: 'output-available', input: { customer_id: 'c_7' }, output: { name: 'Ann' } },
        { state: 'input-available' },
      ]);
      expect(asked).toEqual([callsIn(other.lastMessage)[1]?.toolCallId]);
    });

    it('continues a turn whose client has disconnected, and stops it on request', async () => {
      const chat = chatOf(service, { sdk });
      const sent = chat.sendMessage({ text: '/slow 30\n/say never' });
      await whenChat(chat, ({ lastMessage }) => lastMessage?.role === 'assistant');
      await chat.stop();
      await sent;
      const other = chatOf(service, { sdk, id: chat.id });
      const resumed = other.resumeStream();
      await whenChat(other, ({ status }) => status === 'streaming' || status === 'submitted');
      const stopped = await stopChat(service, chat.id);
      expect([stopped.status, await stopped.json()]).toMatchObject([200, { run_status: 'interrupted' }]);
      await resumed;
      expect(other.status).toBe('ready');
      expect((await reconnect(chat.id)).status).toBe(204);
    });
  });
});
