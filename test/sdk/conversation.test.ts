import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type RunEvent } from '../../src/sdk/index.ts';
import { textsOf } from '../support/sdk.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const client = () => createClient({ baseUrl: service.url, apiKey: service.key, deploymentId: DEMO_CHAT_ID });

describe('client.conversation', () => {
  it('starts a conversation and continues it in another client', async () => {
    const { conversation } = client();
    const first = await conversation.run({ content: 'Hello', meta: { shop: 'north' } });
    expect(first).toMatchObject({ content: 'You said: Hello', conversationStatus: 'active', name: 'Hello' });
    await conversation.run({ content: [{ type: 'text', text: 'Again' }] });
    const state = conversation.getState();
    expect(state).toMatchObject({ id: first.conversationId, status: 'success', live: null, error: null });
    expect(textsOf(state)).toEqual(['Hello', 'You said: Hello', 'Again', 'You said: Again']);
    const other = client().conversation;
    other.start(first.conversationId);
    expect((await other.run({ content: '/history' })).content).toBe('["Hello","Again","/history"]');
  });

  it('stream grows live with each delta', async () => {
    const { conversation } = client();
    const lives = new Set<string | null>();
    conversation.subscribe(({ live }) => lives.add(live));
    const turn = await conversation.stream({ content: '/stream 5', historyLimit: 1 });
    expect(turn.content).toBe('word1 word2 word3 word4 word5');
    const seen = [...lives].filter((live) => live !== null);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.every((live) => String(turn.content).startsWith(live))).toBe(true);
    expect(conversation.getState()).toMatchObject({ live: null, data: turn, status: 'success' });
    expect(textsOf(conversation.getState())).toEqual(['/stream 5', turn.content]);
  });

  it.each(['run', 'stream'] as const)(
    'returns the first result when a %s repeats its idempotency key',
    async (method) => {
      const idempotencyKey = `repeat-${method}`;
      const first = await client().conversation[method]({ content: 'Once', idempotencyKey });
      const other = client().conversation;
      const again = await other[method]({ content: 'Once', idempotencyKey });
      expect(again.conversationId).toBe(first.conversationId);
      expect(textsOf(other.getState())).toEqual(['Once', 'You said: Once']);
    },
  );

  it('abort stops a streamed reply and keeps its conversation', async () => {
    const { conversation } = client();
    const begun = new Promise<void>((resolve) => {
      conversation.subscribe(({ live }) => live && resolve());
    });
    const turn = conversation.stream({ content: '/stream 2000' });
    await begun;
    await expect(conversation.run({ content: 'Meanwhile' })).rejects.toMatchObject({ code: 'invalid_call' });
    conversation.abort();
    await expect(turn).rejects.toMatchObject({ code: 'aborted' });
    expect(conversation.getState()).toMatchObject({ status: 'idle', live: null, id: expect.any(String) });
  });

  it.each(['abort()', 'its signal'] as const)(
    'shows the stored question and partial reply at once when a stream is aborted by %s',
    async (how) => {
      const { conversation } = client();
      await conversation.run({ content: 'Hello' });
      const leave = new AbortController();
      const partial = new Promise<void>((resolve) => {
        conversation.subscribe(({ live }) => live?.includes('word2') && resolve());
      });
      const turn = conversation.stream({ content: '/stream 2000', signal: leave.signal });
      await partial;
      if (how === 'abort()') conversation.abort();
      else leave.abort();
      await expect(turn).rejects.toMatchObject({ code: 'aborted' });
      await expect.poll(() => conversation.getState().messages.length).toBe(4);
      const [question, reply] = textsOf(conversation.getState()).slice(2);
      expect(question).toBe('/stream 2000');
      expect(reply).toMatch(/^word1 word2/);
      expect(conversation.getState()).toMatchObject({ status: 'idle', live: null });
    },
  );

  it('loadMessages replaces the messages or appends a page', async () => {
    const { conversation } = client();
    for (const content of ['a', 'b', 'c']) await conversation.run({ content });
    const page = await conversation.loadMessages({ pageSize: 2 });
    expect(page).toMatchObject({ total: 6, page: 1, pageSize: 2, hasMore: true });
    expect(textsOf(conversation.getState())).toEqual(['a', 'You said: a']);
    await conversation.loadMessages({ page: 3, pageSize: 2, append: true });
    await conversation.loadMessages({ page: 2, pageSize: 2, append: true });
    expect(textsOf(conversation.getState())).toEqual(['a', 'You said: a', 'b', 'You said: b', 'c', 'You said: c']);
    conversation.start();
    await expect(conversation.loadMessages()).rejects.toMatchObject({ code: 'invalid_call' });
  });

  it('lists conversations by label', async () => {
    const { conversation } = client();
    const { conversationId } = await conversation.run({ content: 'Labelled', meta: { customer: 'c 1&2', vip: true } });
    const { items, total } = await conversation.list({ meta: { customer: 'c 1&2', vip: true } });
    expect(total).toBe(1);
    expect(items).toMatchObject([{ conversationId, name: 'Labelled', messageCount: 2, meta: { vip: true } }]);
    expect(conversation.getState().conversations).toEqual(items);
  });

  it('shows a failed turn in the state', async () => {
    const { conversation } = client();
    await expect(conversation.run({ content: '/fail' })).rejects.toMatchObject({ code: 'model_error' });
    expect(conversation.getState()).toMatchObject({ status: 'error', error: { code: 'model_error' } });
  });
});

describe('one-shot runs and triggers', () => {
  it('streams a run as deltas and one done event', async () => {
    const events: RunEvent[] = [];
    for await (const event of client().stream({ content: '/stream 3' })) events.push(event);
    const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
    expect(text).toBe('word1 word2 word3');
    expect(events.at(-1)).toMatchObject({ type: 'done', run: { content: text, workflowLogId: expect.any(Number) } });
  });

  it('creates, reads and uses a trigger', async () => {
    const { trigger, conversation } = client();
    const created = await trigger.create({ content: 'From a link', variables: { NAME: 'Ann' }, ttlHours: null });
    expect(created).toMatchObject({ expiresAt: null, expired: false, conversationId: null, uiSurface: null });
    expect(created.content).toEqual([{ type: 'text', text: 'From a link' }]);
    const { content, conversationId } = await conversation.run({ triggerId: created.id });
    expect(content).toBe('You said: From a link');
    const reader = createClient({ baseUrl: service.url, deploymentId: DEMO_CHAT_ID });
    expect(await reader.trigger.get(created.id)).toMatchObject({ id: created.id, conversationId });
    await expect(reader.trigger.get('nothing0')).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});
