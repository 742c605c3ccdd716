import { randomUUID } from 'node:crypto';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { CHARGE, connect, publishScripted } from '../support/actions.ts';
import { AI_SDKS } from '../support/ai-sdks.ts';
import { startMcp, textResult } from '../support/mcp-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';
import { callsIn, chatOf, chunksOf, storedMessages, textIn, uiPath, whenChat } from '../support/ui-chat.ts';
import { requestsOf } from '../support/ui-requests.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let bank: Receiver;
let deploymentId: string;
let other: string;
beforeAll(async () => {
  [service, bank] = await Promise.all([startService(), startReceiver()]);
  await connect(service, { kind: 'http', name: 'Bank', url: bank.url });
  const approved = { ...CHARGE, name: 'refund', approval: { mode: 'ALWAYS', approver: 'EITHER' } };
  const clientTools = [{ name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } }];
  const draft = { httpActions: [CHARGE, approved], clientTools };
  ({ deploymentId } = await publishScripted(service, workflowsOf(service), draft));
  ({ deploymentId: other } = await publishedWorkflow(workflowsOf(service), {}));
});
afterAll(async () => {
  await Promise.all([service.close(), bank.close()]);
});

/** What a page shows of a message: without the fields of a client that still writes it. */
const shown = (messages: readonly UIMessage[]) =>
  messages.map(({ role, parts, metadata }) => ({
    role,
    parts: parts.map((part) => JSON.parse(JSON.stringify({ ...part, rawInput: undefined }))),
    ...(role === 'assistant' && { metadata }),
  }));

const load = (id: string) => storedMessages(service, id, deploymentId);

describe.each(AI_SDKS)('stored messages in version $version of the AI SDK', (sdk) => {
  const { lastAssistantMessageIsCompleteWithToolCalls: withTools } = sdk.ai;
  const { lastAssistantMessageIsCompleteWithApprovalResponses: withApprovals } = sdk.ai;
  const open = (id: string, messages: UIMessage[] = []) =>
    chatOf(
      service,
      { sdk, id, deploymentId, body: { client_capabilities: ['lookup'] } },
      { messages, sendAutomaticallyWhen: (options) => withTools(options) || withApprovals(options) },
    );

  /** A chat with calls of every kind. */
  async function conversation(id: string) {
    const chat = open(id);
    await chat.sendMessage({ text: '/say Charging. && /call charge {"amount":5}\n/call lookup {"id":7}\n/say Found.' });
    const lookup = callsIn(chat.lastMessage).find(({ type }) => type === 'tool-lookup');
    await chat.addToolOutput({ tool: 'lookup', toolCallId: lookup?.toolCallId ?? '', output: { name: 'Ann' } });
    await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage).endsWith('Found.'));
    for (const approved of [true, false]) {
      await chat.sendMessage({ text: '/call refund {"amount":9}\n/say Done.' });
      const [refund] = callsIn(chat.lastMessage);
      await chat.addToolApprovalResponse({ id: refund?.approval?.id ?? '', approved });
      await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'Done.');
    }
    return chat;
  }

  it('are what the chat showed while the turns ran, and the chat continues with them', async () => {
    const chat = await conversation(randomUUID());
    const stored = await load(chat.id);
    expect(shown(stored)).toEqual(shown(chat.messages));
    expect(stored.map(({ id }) => id).filter((_, index) => index % 2 === 1)).toEqual(
      chat.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id),
    );
    expect(stored.flatMap(callsIn).map(({ state }) => state)).toEqual([
      ...['output-available', 'output-available', 'output-available', 'output-denied'],
    ]);
    expect(await sdk.ai.validateUIMessages({ messages: stored })).toHaveLength(stored.length);
    expect((await sdk.ai.convertToModelMessages(stored)).length).toBeGreaterThan(stored.length);
    const reloaded = open(chat.id, stored);
    await reloaded.resumeStream();
    await reloaded.sendMessage({ text: '/say Welcome back.' });
    expect(textIn(reloaded.lastMessage)).toBe('Welcome back.');
    expect(reloaded.messages).toHaveLength(stored.length + 2);
  });

  it('have a waiting turn, which resuming does not repeat and the page can answer', async () => {
    const chat = open(randomUUID());
    await chat.sendMessage({ text: '/say Looking. && /call lookup {"id":7}\n/say Found.' });
    const stored = await load(chat.id);
    expect(shown(stored)).toEqual(shown(chat.messages));
    const reloaded = open(chat.id, stored);
    await reloaded.resumeStream();
    expect(shown(reloaded.messages)).toEqual(shown(stored));
    const [lookup] = callsIn(reloaded.lastMessage);
    await reloaded.addToolOutput({ tool: 'lookup', toolCallId: lookup?.toolCallId ?? '', output: { name: 'Ann' } });
    await whenChat(reloaded, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage).endsWith('Found.'));
    expect(shown(await load(chat.id))).toEqual(shown(reloaded.messages));
  });

  it('end with the question of a running turn, whose reply resuming shows', async () => {
    const id = randomUUID();
    const chat = open(id);
    const text = '/say Charging. && /call charge {"amount":5}\n/slow 2\n/say Ready.';
    const sent = chat.sendMessage({ text });
    await whenChat(chat, ({ lastMessage }) => callsIn(lastMessage)[0]?.state === 'output-available');
    const stored = await load(id);
    expect(stored.map(({ role }) => role)).toEqual(['user']);
    const reloaded = open(id, stored);
    await reloaded.resumeStream();
    expect(reloaded.messages.map(textIn)).toEqual([text, 'Charging.|Ready.']);
    await sent;
  });

  it('keep the names of files, which the model gets', async () => {
    const id = randomUUID();
    const files = [
      {
        type: 'file' as const,
        mediaType: 'text/plain',
        filename: 'Größe "1".txt',
        url: `data:text/plain;base64,${btoa('A note')}`,
      },
      { type: 'file' as const, mediaType: 'image/png', filename: 'logo.png', url: 'https://files.example.com/1' },
    ];
    await open(id).sendMessage({ text: '/say Read.', files });
    const [question] = await load(id);
    expect(question?.parts).toEqual([...files, { type: 'text', text: '/say Read.' }]);
  });

  it('have the time, the model and the token usage, which the stream has too', async () => {
    const before = Date.now();
    const chat = open(randomUUID());
    await chat.sendMessage({ text: 'Hello' });
    const [question, reply] = await load(chat.id);
    const { createdAt = '', ...metadata } = (reply?.metadata ?? {}) as { readonly createdAt?: string };
    expect(metadata).toEqual({
      ...{ run_id: reply?.id, model: 'demo' },
      usage: {
        inputTokens: expect.any(Number),
        inputTokenDetails: { noCacheTokens: expect.any(Number), cacheReadTokens: 0, cacheWriteTokens: 0 },
        cachedInputTokens: 0,
        outputTokens: expect.any(Number),
        totalTokens: expect.any(Number),
      },
    });
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before - 1_000);
    expect(question?.metadata).toEqual({ createdAt: expect.any(String) });
    expect(chat.lastMessage?.metadata).toEqual(reply?.metadata);
  });
});

describe.each(AI_SDKS)('errors in version $version of the AI SDK', (sdk) => {
  it.each([
    {
      name: 'an ID that useChat made up',
      options: { id: 'vVRNpYyD3lBcQbIK' },
      says: 'useChat({ id: crypto.randomUUID() })',
    },
    { name: 'a wrong key', options: { key: 'sk_live_wrong' }, says: 'key' },
    { name: 'an unknown deployment', options: { deploymentId: randomUUID() }, says: 'deployment' },
  ])('are sentences: $name', async ({ options, says }) => {
    const chat = chatOf(service, { sdk, ...options });
    await chat.sendMessage({ text: 'Hello' });
    expect(chat.error?.message).toMatch(/^\w.+\.$/s);
    expect(chat.error?.message).toContain(says);
    // An unknown deployment has no turn to resume.
    await chat.resumeStream();
    expect(chat.error?.message ?? says).toContain(says);
  });

  it('of a failed turn are sentences', async () => {
    const chat = chatOf(service, { sdk });
    await chat.sendMessage({ text: '/fail' });
    expect(chat.error?.message).toBe('The model failed. Your message is stored. Send the next one.');
  });
});

describe('the messages of a chat', () => {
  const read = (id: string, key: string | null = service.key, at = DEMO_AGENT_ID) =>
    fetch(`${service.url}${uiPath(at)}/${id}`, { headers: key === null ? {} : { authorization: `Bearer ${key}` } });

  it('are an empty list before it starts, and for callers who cannot read its conversation', async () => {
    const id = randomUUID();
    expect(await (await read(id)).json()).toEqual([]);
    await chunksOf(await requestsOf(service).say('Hello', { id }));
    expect(await (await read(id)).json()).toHaveLength(2);
    expect(await (await read(id, service.keys.test)).json()).toEqual([]);
    expect(await (await read(id, service.key, other)).json()).toEqual([]);
    const writer = await makeKey(service, { scopes: ['conversations:write'] });
    expect([(await read(id, writer)).status, (await read(id, null)).status]).toEqual([403, 401]);
  });

  it('are read without credentials at a public deployment', async () => {
    const { id: open } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const id = randomUUID();
    await chunksOf(await requestsOf(service).say('Hello', { id, key: null, deploymentId: open }));
    const messages = (await (await read(id, null, open)).json()) as UIMessage[];
    expect(messages.map(textIn)).toEqual(['Hello', 'You said: Hello']);
    expect(messages[1]?.metadata).toMatchObject({ model: 'demo' });
  });

  it('are those of the newest items of its timeline, without half a turn', async () => {
    const id = randomUUID();
    const turns = LIMITS.pageSize / 2 + 1;
    for (let turn = 0; turn < turns; turn += 1)
      await chunksOf(await requestsOf(service).say(`Message ${turn}`, { id }));
    const messages = await storedMessages(service, id);
    expect(messages).toHaveLength(LIMITS.pageSize);
    expect(textIn(messages[0])).toBe('Message 1');
    await chunksOf(await requestsOf(service).say('/call find_resources {}\n/say Last', { id }));
    const later = await storedMessages(service, id);
    expect([later[0]?.role, textIn(later.at(-1))]).toEqual(['user', 'Last']);
  });

  it('have the arguments of server tools of every kind for callers who may read traces', async () => {
    const server = await startMcp({ weather: { inputSchema: { type: 'object' }, call: () => textResult('Sunny') } });
    await connect(service, { kind: 'mcp', name: 'Weather', url: server.url });
    const { deploymentId: acting } = await publishScripted(service, workflowsOf(service), {
      ...{ httpActions: [CHARGE], resourceTools: ['FIND_RESOURCES'] },
      mcpServers: [{ name: 'ext', integration: 'Weather', approval: { mode: 'NEVER' } }],
    });
    const id = randomUUID();
    const calls = ['charge {"amount":5}', 'find_resources {"type":"note"}', 'ext_weather {"city":"Rome"}'];
    const text = `${calls.map((call) => `/call ${call}`).join(' && ')}\n/say Done.`;
    await chunksOf(await requestsOf(service).say(text, { id, deploymentId: acting }));
    const inputs = async (key: string) => {
      const messages = (await (await read(id, key, acting)).json()) as UIMessage[];
      return messages.flatMap(callsIn).map(({ input }) => input);
    };
    expect(await inputs(service.key)).toEqual([{ amount: 5 }, { type: 'note' }, { city: 'Rome' }]);
    const chatting = await makeKey(service, { scopes: ['conversations:read', 'conversations:write'] });
    expect(await inputs(chatting)).toEqual([{}, {}, {}]);
    await server.close();
  });
});
