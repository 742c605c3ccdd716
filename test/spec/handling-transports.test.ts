import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { AI_SDKS } from '../support/ai-sdks.ts';
import { type Person, personOf } from '../support/handling.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { taskClient } from '../support/mcp-tasks.ts';
import { REPLY } from '../support/paused-turns.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { openTurnFeed } from '../support/turn-feed.ts';
import { chatOf, chunksOf, storedMessages, textIn } from '../support/ui-chat.ts';
import { requestsOf } from '../support/ui-requests.ts';

let parts: ProviderService;
let anna: Person;
let agent: string;
beforeAll(async () => {
  parts = await startProviderService();
  anna = await personOf(parts.service);
  agent = await parts.agent({ allowHandOver: true });
});
afterAll(() => parts.close());
beforeEach(() => parts.provider.reply(REPLY));

const AUTHOR = { displayName: 'Anna', kind: 'member' } as const;

/** A conversation with one turn that a person has taken over. */
async function takenOver(): Promise<string> {
  const { body } = await parts.turn(agent);
  await anna.takeOver(body.conversation_id, 'Anna');
  return body.conversation_id;
}

describe('the UI message stream of a conversation that a person has', () => {
  it('ends without a message, and says who answers', async () => {
    const id = await takenOver();
    const response = await requestsOf(parts.service).say('Hello?', { id, deploymentId: agent });
    expect([response.status, response.headers.get('x-conversation-id')]).toEqual([200, id]);
    expect(await chunksOf(response)).toEqual([
      { type: 'data-handled', data: { handled_by: 'member' }, transient: true },
      { type: 'finish' },
    ]);
  });

  it.each(AI_SDKS)('leaves a page of version $version with the message of its user', async (sdk) => {
    const id = await takenOver();
    const data: unknown[] = [];
    const messages = await storedMessages(parts.service, id, agent);
    const chat = chatOf(
      parts.service,
      { id, deploymentId: agent, sdk },
      { messages, onData: (part) => data.push(part) },
    );
    await chat.sendMessage({ text: 'Are you there?' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.messages.map((message) => [message.role, textIn(message)])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Hi'],
      ['user', 'Are you there?'],
    ]);
    expect(data).toMatchObject([{ type: 'data-handled', data: { handled_by: 'member' } }]);
  });

  it('lists messages of the person with their author, each as its own message', async () => {
    const id = await takenOver();
    await anna.say(id, 'I am Anna.');
    await anna.say(id, 'How can I help?');
    await parts.turn(agent, { conversation_id: id, content: textContent('A refund') });
    await anna.say(id, 'Done.');
    await anna.handBack(id);
    await parts.turn(agent, { conversation_id: id, content: textContent('Thanks') });
    const messages = await storedMessages(parts.service, id, agent);
    const shown = messages.map((message) => {
      const { author } = message.metadata as { author?: unknown };
      return [message.role, textIn(message), author];
    });
    expect(shown).toEqual([
      ['user', 'Hello', undefined],
      ['assistant', 'Hi', undefined],
      ['assistant', 'I am Anna.', AUTHOR],
      ['assistant', 'How can I help?', AUTHOR],
      ['user', 'A refund', undefined],
      ['assistant', 'Done.', AUTHOR],
      ['user', 'Thanks', undefined],
      ['assistant', 'Hi', undefined],
    ]);
    expect(new Set(messages.map((message) => message.id)).size).toBe(messages.length);
    expect(JSON.stringify(messages)).not.toMatch(/email|user_/);
  });
});

describe('ask_deployment in a conversation that a person has', () => {
  const EXPLAINED = { content: expect.stringMatching(/^A person will answer/), run_status: 'completed' };
  const ask = (id: string) => ({ deployment_id: agent, conversation_id: id, content: textContent('Hello?') });

  it('says that a person will answer', async () => {
    const id = await takenOver();
    const client = await connectMcp(parts.service.url, { key: parts.service.key });
    const own = { conversation_id: id, pending_actions: [] };
    expect(await callTool(client, 'ask_deployment', ask(id))).toMatchObject({
      ...EXPLAINED,
      ...own,
      handled_by: 'member',
    });
    await anna.handBack(id, { answer: false });
    const reply = await callTool(client, 'ask_deployment', ask(id));
    expect([reply.content, reply.handled_by]).toEqual(['Hi', undefined]);
    await client.close();
  });

  it('says it in the result of a task, and an earlier task keeps its reply', async () => {
    const client = taskClient(parts.service.url, parts.service.key);
    const first = await client.call('ask_deployment', { deployment_id: agent, content: textContent('Hello') });
    const { conversation_id: id } = (await client.settled(first.taskId)).result.structuredContent;
    await anna.takeOver(id, 'Anna');
    await anna.say(id, 'I am Anna.');
    expect((await client.get(first.taskId)).result.structuredContent).toMatchObject({ content: 'Hi' });
    const { taskId } = await client.call('ask_deployment', ask(id));
    const result = { ...EXPLAINED, handled_by: 'member' };
    expect((await client.settled(taskId)).result.structuredContent).toMatchObject(result);
    await anna.say(id, 'Yes?');
    await anna.handBack(id);
    expect((await client.get(taskId)).result.structuredContent).toMatchObject(result);
    expect((await client.get(first.taskId)).result.structuredContent).toMatchObject({ content: 'Hi' });
  });
});

describe('what a person writes', () => {
  it('is no reply of the turn before it', async () => {
    const id = await takenOver();
    const fields = { conversation_id: id, content: textContent('Hello?'), background: true };
    const { body } = await parts.turn(agent, fields);
    await anna.say(id, 'Yes?');
    const feed = await openTurnFeed(parts.service, id, { after: body.follow_cursor });
    expect((await feed.until('turn.ended')).at(-1)?.data).toMatchObject({ run_id: body.run_id, reply: null });
    feed.close();
  });

  it('is no variant of the reply before it', async () => {
    const { body } = await parts.turn(agent);
    const conversation = `/v1/runner/conversation/${body.conversation_id}`;
    expect((await parts.service.send('POST', `${conversation}/regenerate`, { body: {} })).status).toBe(200);
    await anna.takeOver(body.conversation_id, 'Anna');
    await anna.say(body.conversation_id, 'I am Anna.');
    const { items } = (await parts.service.send('GET', `${conversation}/messages`)).body;
    const variants = items.map((item: { variants?: { position: number } }) => item.variants?.position);
    expect(variants).toEqual([undefined, 2, undefined]);
  });
});
