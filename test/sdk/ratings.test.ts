import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/sdk/index.ts';
import { clientFor } from '../support/sdk.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const chat = () =>
  createClient({ baseUrl: service.url, apiKey: service.key, deploymentId: DEMO_CHAT_ID }).createConversation();
const agentOf = () => clientFor({ url: service.url, key: service.key }).createAgent();

describe('rateMessage of a chat', () => {
  it('shows the rating in the state, and other clients load it', async () => {
    const conversation = chat();
    await conversation.run({ content: 'Hello' });
    const [question, answer] = conversation.getState().messages;
    const rating = { value: 'down', comment: 'Too short', ratedAt: expect.any(String) };
    const state = await conversation.rateMessage(answer?.id ?? 0, { rating: 'down', comment: 'Too short' });
    expect(state.messages[1]?.rating).toEqual(rating);
    expect(question).not.toHaveProperty('rating');
    const other = chat();
    other.start(state.id ?? '');
    expect((await other.loadMessages()).items[1]?.rating).toEqual(rating);
    await other.rateMessage(answer?.id ?? 0, { rating: null });
    expect(other.getState().messages[1]?.rating).toBeUndefined();
    expect((await other.loadMessages()).items[1]).not.toHaveProperty('rating');
  });

  it('rejects before the first turn, and for the message of a user', async () => {
    const conversation = chat();
    await expect(conversation.rateMessage(1, { rating: 'up' })).rejects.toMatchObject({ code: 'invalid_call' });
    await conversation.run({ content: 'Hello' });
    const id = conversation.getState().messages[0]?.id ?? 0;
    await expect(conversation.rateMessage(id, { rating: 'up' })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'messageId',
    });
  });
});

describe('rateMessage of an agent', () => {
  it('accepts the ID of a message and of a history item, and opened conversations have the rating', async () => {
    const agent = agentOf();
    await agent.start({ content: 'Hello' });
    const { messages, history, conversationId } = agent.getState();
    const rated = await agent.rateMessage(messages[1]?.id ?? 0, { rating: 'up' });
    expect([rated.messages[1]?.rating?.value, rated.history[1]]).toEqual([
      'up',
      expect.objectContaining({ rating: expect.objectContaining({ value: 'up', comment: null }) }),
    ]);
    await agent.rateMessage(history[1]?.id ?? '', { rating: 'down' });
    expect(agent.getState().messages[1]?.rating?.value).toBe('down');
    // By GraphQL and by REST.
    for (const live of [true, false]) {
      const other = agentOf();
      await other.open(conversationId ?? '', { live });
      expect(other.getState().messages.map(({ rating }) => rating?.value)).toEqual([undefined, 'down']);
      other.close();
    }
    agent.close();
    await expect(agent.rateMessage(1, { rating: 'up' })).rejects.toMatchObject({ code: 'invalid_call' });
  });
});
