import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { assemble, type FeedEvent, openTurnFeed, type TurnFeed } from '../support/turn-feed.ts';
import { chatOf, chunksOf, textIn, uiPath, userMessage } from '../support/ui-chat.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

let provided: ProviderService;
let deploymentId: string;
let hidden: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({ reasoning: 'shown', clientTools: [LOOK], resourceTools: ['find_resources'] });
  hidden = await provided.agent();
});
afterAll(() => provided.close());

const feeds = new Set<TurnFeed>();
afterEach(() => {
  for (const feed of feeds) feed.close();
  feeds.clear();
});

async function follow(conversationId: string, after?: string): Promise<TurnFeed> {
  const feed = await openTurnFeed(provided.service, conversationId, after === undefined ? {} : { after });
  feeds.add(feed);
  return feed;
}

async function startConversation(at = deploymentId): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  return (await provided.turn(at)).body.conversation_id;
}

const turn = (conversation_id: string, at = deploymentId) => provided.turn(at, { conversation_id });
const types = (events: readonly FeedEvent[]) => events.map(({ event }) => event);
const thoughts = (events: readonly FeedEvent[], start?: ReadonlyMap<string, string>) =>
  assemble(events, start, 'reasoning.delta');
const FIND = { name: 'find_resources', arguments: '{}' };

describe('reasoning in the feed of a turn', () => {
  it('is shown while the model thinks, before the text, and is no part of the stored reply', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const dictation = dictate(provided.provider);
    const response = turn(id);
    dictation.think('The user ');
    const [started, , first] = await feed.until('reasoning.delta');
    const key = `${started?.data.run_id}:1`;
    expect(first?.data).toEqual({ message_key: key, offset: 0, text: 'The user ' });
    dictation.think('greets.');
    expect((await feed.until('reasoning.delta'))[0]?.data).toMatchObject({ message_key: key, offset: 9 });
    dictation.say('Hello.');
    dictation.end();
    const rest = await feed.until('turn.ended');
    expect(types(rest)).toEqual(['text.delta', 'item', 'turn.ended']);
    expect(rest[1]?.data).toMatchObject({ completes: key, item: { content: [{ type: 'text', text: 'Hello.' }] } });
    expect((await response).body.content).toBe('Hello.');
    const { items } = (
      await provided.service.send('GET', `/v2/runner/${deploymentId}/conversation/${id}/history?limit=50`)
    ).body;
    expect(JSON.stringify(items)).not.toContain('greets');
    expect(await provided.service.service.services.stores.prisma.liveText.count()).toBe(0);
  });

  it('reaches a late reader from its start, and continues from every cursor without a gap or a repeat', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const dictation = dictate(provided.provider);
    const response = turn(id);
    const events: FeedEvent[] = [];
    for (const word of ['one ', 'two ', 'three ']) {
      dictation.think(word);
      events.push(...(await feed.until('reasoning.delta')));
    }
    dictation.say('Hello.');
    events.push(...(await feed.until('text.delta')));
    const late = await (await follow(id)).until('text.delta');
    expect([...thoughts(late).values()]).toEqual(['one two three ']);
    expect(types(late).at(-2)).toBe('reasoning.delta');
    for (const [index, { id: after }] of events.slice(0, -1).entries()) {
      const rest = await (await follow(id, after)).until('text.delta');
      const before = thoughts(events.slice(0, index + 1));
      expect([...thoughts(rest, before).values()]).toEqual(['one two three ']);
    }
    dictation.end();
    await response;
  });

  it('is complete for a connected reader of a step that only calls tools, and of one that replies at once', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    provided.provider.reply(
      { kind: 'answer', thoughts: ['I must ', 'look.'], calls: [FIND] },
      { kind: 'answer', thoughts: ['I ', 'know.'], deltas: ['Nothing.'] },
    );
    await turn(id);
    const events = await feed.until('turn.ended');
    expect([...thoughts(events).values()]).toEqual(['I must look.', 'I know.']);
    expect(types(events)).not.toContain('step.restarted');
    const last = (type: string) => types(events).lastIndexOf(type);
    expect(types(events).indexOf('reasoning.delta')).toBeLessThan(types(events).indexOf('item', 2));
    expect(last('reasoning.delta')).toBeLessThan(last('text.delta'));
  });

  it('is not in the feed unless the workflow shows it', async () => {
    const id = await startConversation(hidden);
    const feed = await follow(id);
    provided.provider.reply({ kind: 'answer', thoughts: ['A secret.'], deltas: ['Hello.'] });
    await turn(id, hidden);
    const events = await feed.until('turn.ended');
    expect(types(events)).toEqual(['turn.started', 'item', 'text.delta', 'item', 'turn.ended']);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('reaches GraphQL clients', async () => {
    const id = await startConversation();
    const feed = await subscribe(
      provided.service,
      `subscription ($id: ID!) { turnEvents(conversationId: $id) {
        event ... on ReasoningDelta { messageKey offset text } } }`,
      { id },
      provided.service.key,
    );
    provided.provider.reply({ kind: 'answer', thoughts: ['Hm.'], deltas: ['Hello.'] });
    await turn(id);
    const next = async () => (await feed.next()).data.turnEvents;
    expect([(await next()).event, (await next()).event]).toEqual(['TURN_STARTED', 'ITEM']);
    expect(await next()).toEqual({
      ...{ event: 'REASONING_DELTA', messageKey: expect.stringMatching(/:1$/), offset: 0, text: 'Hm.' },
    });
    await feed.close();
  });
});

describe('reasoning in the UI message stream', () => {
  it('is a part before the text, and passes the schema of the AI SDK', async () => {
    provided.provider.reply(
      { kind: 'answer', thoughts: ['I must ', 'look.'], calls: [FIND] },
      { kind: 'answer', thoughts: ['I know.'], deltas: ['Nothing.'] },
    );
    const response = await fetch(provided.service.url + uiPath(deploymentId), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${provided.service.key}` },
      body: JSON.stringify({ id: randomUUID(), messages: [userMessage('Hello')], trigger: 'submit-message' }),
    });
    const chunks = await chunksOf(response);
    const chunkTypes = chunks.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(chunkTypes).toEqual([
      ...['start', 'start-step', 'reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ...['tool-input-available', 'tool-output-available', 'finish-step'],
      ...['start-step', 'reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ...['text-start', 'text-delta', 'text-end', 'finish-step', 'message-metadata', 'finish'],
    ]);
  });

  it('is shown by the client of the AI SDK', async () => {
    provided.provider.reply({ kind: 'answer', thoughts: ['Hm, ', 'let me see.'], deltas: ['Hello.'] });
    const chat = chatOf(provided.service, { deploymentId });
    await chat.sendMessage({ text: 'Hello' });
    expect(chat.lastMessage?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm, let me see.', state: 'done' },
      { type: 'text', text: 'Hello.' },
    ]);
    expect(textIn(chat.lastMessage)).toBe('Hello.');
  });
});

describe('the reasoning of a workflow', () => {
  it('is hidden by default, belongs to the version, and is sent to the provider as its effort', async () => {
    const flows = workflowsOf(provided.service);
    const { workflowId, deploymentId: published } = await publishedWorkflow(flows, { reasoningEffort: 'HIGH' });
    provided.provider.reply({ kind: 'answer', deltas: ['Hello.'] });
    const request = provided.provider.nextRequest();
    await provided.turn(published);
    expect((await request).body).toMatchObject({ reasoning_effort: 'high' });
    const read = await provided.service.graphql(
      'query ($id: ID!) { workflow(id: $id) { draft { reasoning reasoningEffort } } }',
      { id: workflowId },
    );
    expect(read.body.data.workflow.draft).toEqual({ reasoning: 'OFF', reasoningEffort: 'HIGH' });
  });
});

it('is sent back to the model after calls, also in later turns', async () => {
  const id = await startConversation();
  provided.provider.reply(
    { kind: 'answer', thoughts: ['I must look.'], calls: [FIND] },
    { kind: 'answer', deltas: ['Nothing.'] },
  );
  const before = provided.provider.requests.length;
  await turn(id);
  await turn(id);
  const sent = provided.provider.requests.slice(before).map(({ body }) => JSON.stringify(body));
  expect(sent.map((text) => text.includes('I must look.'))).toEqual([false, true, true]);
});
