import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { type FeedEvent, openTurnFeed, type TurnFeed } from '../support/turn-feed.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({ clientTools: [{ name: 'ask_user', description: 'Asks the user.' }] });
});
afterAll(() => provided.close());

const feeds = new Set<TurnFeed>();
afterEach(() => {
  for (const feed of feeds) feed.close();
  feeds.clear();
});

async function follow(conversationId: string): Promise<TurnFeed> {
  const feed = await openTurnFeed(provided.service, conversationId);
  feeds.add(feed);
  return feed;
}

async function startConversation(): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  return (await provided.turn(deploymentId)).body.conversation_id;
}

const turn = (conversation_id: string, fields: object = {}) =>
  provided.turn(deploymentId, { conversation_id, ...fields });

const types = (events: readonly FeedEvent[]) => events.map(({ event }) => event);

const NAME_QUESTION = {
  name: 'ask_user',
  arguments: JSON.stringify({ questions: [{ id: 'name', question: 'Name?', input_type: 'text' }] }),
};

describe('a stop', () => {
  const stop = (id: string, body: object = {}) =>
    provided.service.send('POST', `/v1/runner/conversation/${id}/stop`, { body });

  it('ends the turn, aborts the model call and keeps the text', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const dictation = dictate(provided.provider);
    const asked = provided.provider.nextRequest();
    const response = turn(id);
    dictation.say('Up to here');
    await feed.until('text.delta');
    const stopped = await stop(id);
    const { run_id } = (await response).body;
    expect(stopped.body).toEqual({ conversation_id: id, run_id, run_status: 'interrupted' });
    await (await asked).closed;
    const ended = await feed.until('turn.ended');
    expect(types(ended)).toEqual(['item', 'turn.ended']);
    expect(ended.at(-1)?.data).toMatchObject({
      run_status: 'interrupted',
      finish_reason: 'stopped',
      reply: 'Up to here',
    });
    expect((await response).body).toMatchObject({ run_status: 'interrupted', content: 'Up to here' });
    expect((await stop(id)).body).toEqual(stopped.body);
    dictation.end();
  });

  it('cancels the calls of a turn that waits for its client', async () => {
    const id = await startConversation();
    provided.provider.reply({ kind: 'answer', calls: [NAME_QUESTION] });
    const { body } = await turn(id, { client_capabilities: ['ask_user'] });
    expect((await stop(id)).body).toEqual({ conversation_id: id, run_id: body.run_id, run_status: 'interrupted' });
    const [{ call_id }] = body.client_tool_calls;
    const late = await turn(id, { tool_results: [{ call_id, output: { answers: [{ id: 'name', value: 'Ann' }] } }] });
    expect([late.status, late.body.error.code]).toEqual([400, 'unknown_call_id']);
  });

  it('of one turn leaves a later turn running, and one that waits', async () => {
    const id = await startConversation();
    const { run_id: ended } = (await stop(id)).body;
    const feed = await follow(id);
    const dictation = dictate(provided.provider, { calls: [NAME_QUESTION] });
    const response = turn(id, { client_capabilities: ['ask_user'] });
    dictation.say('Still running');
    await feed.until('text.delta');
    expect((await stop(id, { run_id: ended })).body.run_status).toBe('running');
    dictation.end();
    const { run_id, run_status } = (await response).body;
    expect([run_status, (await stop(id, { run_id: ended })).body.run_status]).toEqual([
      'waiting_for_client_action',
      'waiting_for_client_action',
    ]);
    expect((await stop(id, { run_id })).body).toEqual({ conversation_id: id, run_id, run_status: 'interrupted' });
  });

  it('names `run_id` if it is no ID', async () => {
    const stopped = await stop(await startConversation(), { run_id: 'latest' });
    expect([stopped.status, stopped.body.error.param]).toEqual([400, 'run_id']);
  });

  it('returns the latest run if nothing is running, and 404 for an unknown conversation', async () => {
    const id = await startConversation();
    const stopped = await stop(id);
    expect([stopped.status, stopped.body.run_status]).toEqual([200, 'completed']);
    expect((await stop('00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });
});
