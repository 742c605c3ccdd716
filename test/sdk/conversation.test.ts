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

describe('SPEC 4.11: client.conversation', () => {
  it('starts, runs, and goes on where it was', async () => {
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

  it('streams: live grows as the reply is made', async () => {
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
    'answers a %s again under the key of an earlier one, and does nothing again',
    async (how) => {
      const idempotencyKey = `again-${how}`;
      const first = await client().conversation[how]({ content: 'Once', idempotencyKey });
      const other = client().conversation;
      const again = await other[how]({ content: 'Once', idempotencyKey });
      expect(again.conversationId).toBe(first.conversationId);
      expect(textsOf(other.getState())).toEqual(['Once', 'You said: Once']);
    },
  );

  it('stops a streamed reply with abort, and keeps its conversation', async () => {
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

  it('loads messages by page, in place of or beside those that are there', async () => {
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

  it('lists conversations by their labels', async () => {
    const { conversation } = client();
    const { conversationId } = await conversation.run({ content: 'Labelled', meta: { customer: 'c 1&2', vip: true } });
    const { items, total } = await conversation.list({ meta: { customer: 'c 1&2', vip: true } });
    expect(total).toBe(1);
    expect(items).toMatchObject([{ conversationId, name: 'Labelled', messageCount: 2, meta: { vip: true } }]);
    expect(conversation.getState().conversations).toEqual(items);
  });

  it('tells of a failed turn in its state too', async () => {
    const { conversation } = client();
    await expect(conversation.run({ content: '/fail' })).rejects.toMatchObject({ code: 'model_error' });
    expect(conversation.getState()).toMatchObject({ status: 'error', error: { code: 'model_error' } });
  });
});

describe('one-shot runs and triggers', () => {
  it('streams a run as deltas and its end', async () => {
    const events: RunEvent[] = [];
    for await (const event of client().stream({ content: '/stream 3' })) events.push(event);
    const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
    expect(text).toBe('word1 word2 word3');
    expect(events.at(-1)).toMatchObject({ type: 'done', run: { content: text, workflowLogId: expect.any(Number) } });
  });

  it('makes, reads and uses a trigger', async () => {
    const { trigger, conversation } = client();
    const made = await trigger.create({ content: 'From a link', variables: { NAME: 'Ann' }, ttlHours: null });
    expect(made).toMatchObject({ expiresAt: null, expired: false, conversationId: null, uiSurface: null });
    expect(made.content).toEqual([{ type: 'text', text: 'From a link' }]);
    const { content, conversationId } = await conversation.run({ triggerId: made.id });
    expect(content).toBe('You said: From a link');
    const reader = createClient({ baseUrl: service.url, deploymentId: DEMO_CHAT_ID });
    expect(await reader.trigger.get(made.id)).toMatchObject({ id: made.id, conversationId });
    await expect(reader.trigger.get('nothing0')).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});
