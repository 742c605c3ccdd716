import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import type { FakeReply, FakeRequest } from '../support/fake-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { until } from '../support/until.ts';

let own: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  own = await startProviderService();
  deploymentId = await own.agent();
});
afterAll(() => own.close());

const FAILURE = { kind: 'status', status: 400 } as const;
const ANSWER = { kind: 'answer', deltas: ['Done'] } as const;

/** Sends a message to a provider that replies so. */
async function say(text: string, reply: FakeReply, conversationId?: string) {
  own.provider.reply(reply);
  const fields = conversationId && { conversation_id: conversationId };
  return own.turn(deploymentId, { content: textContent(text), ...fields });
}

/** Starts a conversation whose first turn fails. */
async function failed(text: string, reply: FakeReply = FAILURE): Promise<string> {
  const { status, body } = await say(text, reply);
  expect(status).toBe(502);
  return body.error.conversation_id;
}

/** Starts a conversation, and stops its turn after these words. */
async function stopped(text: string, words: readonly string[]): Promise<string> {
  const reply = dictate(own.provider);
  const asked = own.provider.nextRequest();
  const turn = own.turn(deploymentId, { content: textContent(text) });
  await asked;
  const { prisma } = own.service.service.services.stores;
  const { conversationId } = await prisma.run.findFirstOrThrow({ where: { status: 'running' } });
  for (const word of words) reply.say(word);
  await until(async () => (await prisma.liveText.count()) === words.length);
  await own.service.send('POST', `/v1/runner/conversation/${conversationId}/stop`);
  await turn;
  return conversationId;
}

/** The roles of the messages that the provider got last. */
function sentRoles(): string[] {
  const { messages } = (own.provider.requests.at(-1) as FakeRequest).body as { messages: { role: string }[] };
  return messages.map(({ role }) => role).filter((role) => role !== 'system');
}

/** The stored messages of a conversation. */
async function storedIn(conversationId: string) {
  const { body } = await own.service.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  const { prisma } = own.service.service.services.stores;
  const { messageCount } = await prisma.conversation.findFirstOrThrow({ where: { id: conversationId } });
  expect([body.total, messageCount]).toEqual([body.items.length, body.items.length]);
  return body.items.map(({ content }: { content: { text: string }[] }) => content[0]?.text);
}

describe('a message that a client repeats after a turn without a reply', () => {
  it('is stored once, and the model gets it once', async () => {
    const conversationId = await failed('Hello');
    expect((await say('Hello', FAILURE, conversationId)).status).toBe(502);
    const { status, body } = await say('Hello', ANSWER, conversationId);
    expect([status, body.content]).toEqual([200, 'Done']);
    expect(await storedIn(conversationId)).toEqual(['Hello', 'Done']);
    expect(sentRoles()).toEqual(['user']);
  });

  it('belongs to the repeated turn', async () => {
    const conversationId = await failed('Hello');
    const { body } = await say('Hello', ANSWER, conversationId);
    const items = await own.service.service.services.stores.prisma.timelineItem.findMany({ where: { conversationId } });
    expect(items.map(({ runId }) => runId)).toEqual([body.run_id, body.run_id]);
  });

  it('is stored once after a turn that somebody stopped', async () => {
    const conversationId = await stopped('Wait', []);
    await say('Wait', ANSWER, conversationId);
    expect(await storedIn(conversationId)).toEqual(['Wait', 'Done']);
  });

  it('keeps the pairs of the history', async () => {
    const { body } = await say('One', ANSWER);
    const conversationId: string = body.conversation_id;
    await say('Two', FAILURE, conversationId);
    own.provider.reply(ANSWER);
    const content = textContent('Two');
    await own.turn(deploymentId, { content, conversation_id: conversationId, history_limit: 1 });
    expect(sentRoles()).toEqual(['user', 'assistant', 'user']);
  });
});

describe('a message is stored although it equals one before', () => {
  it('if that one has a reply', async () => {
    const { body } = await say('Hello', ANSWER);
    await say('Hello', ANSWER, body.conversation_id);
    expect(await storedIn(body.conversation_id)).toEqual(['Hello', 'Done', 'Hello', 'Done']);
  });

  it('if that one has a part of a reply', async () => {
    const conversationId = await stopped('Again', ['Half']);
    await say('Again', ANSWER, conversationId);
    expect(await storedIn(conversationId)).toEqual(['Again', 'Half', 'Again', 'Done']);
  });

  it('if another one follows that one', async () => {
    const conversationId = await failed('Hello');
    await say('Other', FAILURE, conversationId);
    await say('Hello', ANSWER, conversationId);
    expect(await storedIn(conversationId)).toEqual(['Hello', 'Other', 'Hello', 'Done']);
  });

  it('unless all its parts are equal', async () => {
    const conversationId = await failed('Hello');
    own.provider.reply(ANSWER);
    const content = [...textContent('Hello'), ...textContent('and more')];
    await own.turn(deploymentId, { content, conversation_id: conversationId });
    expect(await storedIn(conversationId)).toEqual(['Hello', 'Hello', 'Done']);
  });
});
