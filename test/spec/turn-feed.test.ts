import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import { loseRun } from '../support/lose-run.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { assemble, type FeedEvent, openTurnFeed, type TurnFeed } from '../support/turn-feed.ts';

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

async function follow(...[conversationId, options]: [string, Parameters<typeof openTurnFeed>[2]?]): Promise<TurnFeed> {
  const feed = await openTurnFeed(provided.service, conversationId, options);
  expect(feed.response.status).toBe(200);
  feeds.add(feed);
  return feed;
}

async function startConversation(): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  const { body } = await provided.turn(deploymentId);
  return body.conversation_id;
}

const turn = (conversation_id: string, fields: object = {}) =>
  provided.turn(deploymentId, { conversation_id, ...fields });

const types = (events: readonly FeedEvent[]) => events.map(({ event }) => event);

describe('the feed of a turn', () => {
  it('shows the text while the model writes it, then the message and the end', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const dictation = dictate(provided.provider);
    const response = turn(id);
    dictation.say('Hello ');
    const begun = await feed.until('text.delta');
    expect(types(begun)).toEqual(['turn.started', 'item', 'text.delta']);
    const [started, , first] = begun;
    expect(begun[1]?.data).toMatchObject({ completes: null, item: { type: 'message', role: 'user' } });
    const key = `${started?.data.run_id}:1`;
    expect(first?.data).toEqual({ message_key: key, offset: 0, text: 'Hello ' });
    dictation.say('wörld 👋');
    const [second] = await feed.until('text.delta');
    expect(second?.data).toEqual({ message_key: key, offset: 6, text: 'wörld 👋' });
    dictation.end();
    const ended = await feed.until('turn.ended');
    expect(types(ended)).toEqual(['item', 'turn.ended']);
    expect(ended[0]?.data).toMatchObject({ completes: key, item: { role: 'assistant' } });
    expect(ended[1]?.data).toEqual({
      run_id: started?.data.run_id,
      run_status: 'completed',
      finish_reason: 'stop',
      error_code: null,
      reply: 'Hello wörld 👋',
    });
    expect((await response).body.content).toBe('Hello wörld 👋');
  });

  it('continues from every cursor without a gap or a repeat, during the turn and after it', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const dictation = dictate(provided.provider);
    const response = turn(id);
    const events: FeedEvent[] = [];
    for (const word of ['one ', 'two ', 'three ', 'four']) {
      dictation.say(word);
      events.push(...(await feed.until('text.delta')));
    }
    const resumed = await follow(id, { lastEventId: events[3]?.id ?? '' });
    expect(await resumed.next()).toMatchObject({ event: 'text.delta', data: { text: 'three four' } });
    dictation.end();
    events.push(...(await feed.until('turn.ended')));
    await response;
    for (const [index, { id: after }] of events.slice(0, -1).entries()) {
      const rest = await (await follow(id, { after })).until('turn.ended');
      const before = events.slice(0, index + 1);
      const [key = ''] = assemble(events).keys();
      expect(assemble(rest, assemble(before)).get(key)).toBe('one two three four');
      const others = (list: readonly FeedEvent[]) => list.filter(({ event }) => event !== 'text.delta');
      expect(types(others([...before, ...rest]))).toEqual(types(others(events)));
    }
  });

  it('begins with the running turn from its first character', async () => {
    const id = await startConversation();
    const first = await follow(id);
    const dictation = dictate(provided.provider);
    const response = turn(id);
    dictation.say('early ');
    await first.until('text.delta');
    const late = await follow(id);
    const events = await late.until('text.delta');
    expect(types(events)).toEqual(['turn.started', 'item', 'text.delta']);
    expect(events.at(-1)?.data).toMatchObject({ offset: 0, text: 'early ' });
    dictation.end();
    await response;
  });

  it('waits for the next turn if no turn is running', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    provided.provider.reply({ kind: 'answer', deltas: ['again'] });
    await turn(id);
    const events = await feed.until('turn.ended');
    expect(types(events)).toEqual(['turn.started', 'item', 'text.delta', 'item', 'turn.ended']);
  });

  it('reports the steps of a turn, its pause with the pending calls, and its continuation', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const call = {
      name: 'ask_user',
      arguments: JSON.stringify({ questions: [{ id: 'name', question: 'Name?', input_type: 'text' }] }),
    };
    provided.provider.reply({ kind: 'answer', deltas: ['Let me ask. '], calls: [call] });
    const paused = await turn(id, { client_capabilities: ['ask_user'] });
    const before = await feed.until('turn.paused');
    expect(types(before)).toEqual(['turn.started', 'item', 'text.delta', 'item', 'item', 'turn.paused']);
    const { pending_client_actions } = before.at(-1)?.data ?? {};
    expect(pending_client_actions).toEqual(paused.body.client_tool_calls);
    provided.provider.reply({ kind: 'answer', deltas: ['Hello Ann'] });
    const [{ call_id }] = pending_client_actions;
    const output = { answers: [{ id: 'name', value: 'Ann' }] };
    await turn(id, { tool_results: [{ call_id, output }] });
    const after = await feed.until('turn.ended');
    expect(types(after)).toEqual(['item', 'text.delta', 'item', 'turn.ended']);
    expect(after[0]?.data.item).toMatchObject({ type: 'client_tool', status: 'completed', output });
    expect([...assemble([...before, ...after]).values()]).toEqual(['Let me ask. ', 'Hello Ann']);
  });

  it('declares the text void if the model fails', async () => {
    const id = await startConversation();
    const feed = await follow(id);
    const dictation = dictate(provided.provider, { isCut: true });
    const response = turn(id);
    dictation.say('never stored');
    const shown = await feed.until('text.delta');
    dictation.end();
    expect((await response).status).toBe(502);
    const events = [...shown, ...(await feed.until('turn.ended'))];
    expect(types(events)).toEqual(['turn.started', 'item', 'text.delta', 'step.restarted', 'turn.ended']);
    expect(events.at(-1)?.data).toMatchObject({ run_status: 'failed', error_code: 'model_error', reply: null });
    expect(assemble(events).size).toBe(0);
  });

  it('gives each event its own ID, even if another process writes the same text again', async () => {
    const continued = await provided.agent({ recovery: 'continue' });
    provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const { body } = await provided.turn(continued);
    const feed = await follow(body.conversation_id);
    const first = dictate(provided.provider);
    const response = provided.turn(continued, { conversation_id: body.conversation_id });
    first.say('The same');
    const shown = await feed.until('text.delta');
    const { prisma } = provided.service.service.services.stores;
    const { id } = await prisma.run.findFirstOrThrow({ where: { status: 'running' } });
    const second = dictate(provided.provider);
    await loseRun(provided.service, id);
    second.say('The');
    const restarted = await feed.until('step.restarted');
    second.say(' same');
    second.end();
    first.end();
    await response;
    const reopened = await follow(body.conversation_id, { lastEventId: restarted.at(-1)?.id ?? '' });
    const events = [...shown, ...restarted, ...(await reopened.until('turn.ended'))];
    expect(types(events).slice(3)).toEqual(['step.restarted', 'text.delta', 'item', 'turn.ended']);
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    expect([...assemble(events).values()]).toEqual(['The same']);
  });

  it('rejects unknown conversations, foreign cursors and callers without access', async () => {
    const id = await startConversation();
    const { service } = provided;
    const statusOf = async (...args: [string, Parameters<typeof openTurnFeed>[2]?]) => {
      const { response } = await openTurnFeed(service, ...args);
      return [response.status, (await response.json()).error.code];
    };
    expect(await statusOf('00000000-0000-4000-8000-000000000000')).toEqual([404, 'not_found']);
    expect(await statusOf(id, { after: 'nonsense' })).toEqual([400, 'invalid_cursor']);
    expect(await statusOf(id, { key: null })).toEqual([401, 'unauthorized']);
    expect(await statusOf(id, { key: service.keys.test ?? null })).toEqual([404, 'not_found']);
  });
});

describe('a streamed reply whose reader disconnects', () => {
  async function leave(onReaderGone: 'stop' | 'continue') {
    const { id: chat } = await makeDeployment(provided.service, {}, { kind: 'chat', onReaderGone });
    const dictation = dictate(provided.provider);
    const abort = new AbortController();
    const response = await fetch(`${provided.service.url}/v1/runner/${chat}/conversation/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${provided.service.keys.live}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ content: textContent('Hello') }),
      signal: abort.signal,
    });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const id = /"conversation_id":"([^"]+)"/.exec(new TextDecoder().decode(value))?.[1] ?? '';
    const feed = await follow(id);
    dictation.say('The first half');
    await feed.until('text.delta');
    abort.abort();
    return { id, feed, dictation };
  }

  it('stops by default, and keeps the partial reply', async () => {
    const { feed, dictation } = await leave('stop');
    const ended = (await feed.until('turn.ended')).at(-1);
    expect(ended?.data).toMatchObject({ run_status: 'interrupted', reply: 'The first half' });
    dictation.end();
  });

  it('continues if the deployment says so, and can be picked up', async () => {
    const { id, dictation } = await leave('continue');
    const resumed = await follow(id);
    dictation.say(' and the second');
    dictation.end();
    const ended = (await resumed.until('turn.ended')).at(-1);
    expect(ended?.data).toMatchObject({ run_status: 'completed', reply: 'The first half and the second' });
  });
});
