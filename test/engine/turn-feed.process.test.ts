import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { Client, HttpResponse } from '../support/client.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { dictate } from '../support/dictation.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { assemble, type FeedEvent, openTurnFeed, type TurnFeed } from '../support/turn-feed.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

describe.skipIf(!POSTGRES_URL)('the feed of a turn, at two processes', () => {
  let store: OwnedStore;
  let provider: FakeProvider;
  let one: ServiceProcess;
  let other: ServiceProcess;
  const start = () =>
    startOn(store, {
      DEFAULT_MODEL: 'openai-compatible:test',
      OPENAI_API_KEY: 'a-key',
      OPENAI_BASE_URL: provider.url,
    });
  beforeAll(async () => {
    store = await postgresStore();
    provider = await startFakeProvider();
    [one, other] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await killAll();
    await provider.close();
    await store.remove();
  });

  const feeds = new Set<TurnFeed>();
  afterEach(() => {
    for (const feed of feeds) feed.close();
    feeds.clear();
  });

  async function follow(client: Client, conversationId: string, after?: string): Promise<TurnFeed> {
    const feed = await openTurnFeed(client, conversationId, after === undefined ? {} : { after });
    feeds.add(feed);
    return feed;
  }

  const sendTurn = (client: Client, fields: object = {}): Promise<HttpResponse> =>
    client.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: textContent('Hello'), ...fields },
    });

  async function startConversation(): Promise<string> {
    provider.reply({ kind: 'answer', deltas: ['Hi'] });
    return (await sendTurn(one)).body.conversation_id;
  }

  const typesOf = (events: readonly FeedEvent[]) => events.map(({ event }) => event);

  it('shows the text of a turn at the other process, and continues there from a cursor of the first', async () => {
    const id = await startConversation();
    const [near, far] = [await follow(one, id), await follow(other, id)];
    const dictation = dictate(provider);
    const response = sendTurn(one, { conversation_id: id });
    const received: { near: FeedEvent[]; far: FeedEvent[] } = { near: [], far: [] };
    for (const word of ['one ', 'two ', 'three ']) {
      dictation.say(word);
      received.near.push(...(await near.until('text.delta')));
      received.far.push(...(await far.until('text.delta')));
    }
    const moved = await follow(other, id, received.near[2]?.id);
    dictation.say('four');
    dictation.end();
    received.near.push(...(await near.until('turn.ended')));
    received.far.push(...(await far.until('turn.ended')));
    const rest = await moved.until('turn.ended');
    await response;
    const text = 'one two three four';
    expect([...assemble(received.near).values()]).toEqual([text]);
    expect([...assemble(received.far).values()]).toEqual([text]);
    expect([...assemble(rest, assemble(received.near.slice(0, 3))).values()]).toEqual([text]);
    expect(received.far.at(-1)?.data.reply).toBe(text);
  });

  it('stops a turn that runs at the other process', async () => {
    const id = await startConversation();
    const feed = await follow(other, id);
    const dictation = dictate(provider);
    const asked = provider.nextRequest();
    const response = sendTurn(one, { conversation_id: id });
    dictation.say('Up to here');
    await feed.until('text.delta');
    const stopped = await other.send('POST', `/v1/runner/conversation/${id}/stop`);
    await (await asked).closed;
    expect(stopped.body.run_status).toBe('interrupted');
    expect((await response).body).toMatchObject({ run_status: 'interrupted', content: 'Up to here' });
    expect((await feed.until('turn.ended')).at(-1)?.data.reply).toBe('Up to here');
    dictation.end();
  });

  it('declares the text void if the process of the turn dies, and continues with the next turn', async () => {
    const id = await startConversation();
    const dictation = dictate(provider);
    const far = await follow(other, id);
    const near = await follow(one, id);
    const lost = sendTurn(one, { conversation_id: id }).catch(() => undefined);
    dictation.say('Shown, ');
    const shown = await near.until('text.delta');
    const received = await far.until('text.delta');
    await one.kill('SIGKILL');
    await lost;
    const moved = await follow(other, id, shown.at(-1)?.id);
    for (const [feed, before] of [
      [far, received],
      [moved, shown],
    ] as const) {
      const ended = await feed.until('turn.ended');
      expect(typesOf(ended)).toEqual(['step.restarted', 'turn.ended']);
      expect(ended.at(-1)?.data).toMatchObject({ run_status: 'failed', reply: null });
      expect(assemble(ended, assemble(before)).size).toBe(0);
    }
    dictation.end();
    provider.reply({ kind: 'answer', deltas: ['Back'] });
    await sendTurn(other, { conversation_id: id });
    expect((await far.until('turn.ended')).at(-1)?.data.reply).toBe('Back');
    one = await start();
  });

  it('declares the text void for a reader who returns after another process has stored another text', async () => {
    const { deploymentId } = await publishedWorkflow(workflowsOf(one), { recovery: 'CONTINUE' });
    const path = `/v2/runner/${deploymentId}/conversation`;
    provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const first = await one.send('POST', path, { body: { content: textContent('Hello') } });
    const id: string = first.body.conversation_id;
    const dictation = dictate(provider);
    const feed = await follow(one, id);
    const lost = one
      .send('POST', path, { body: { content: textContent('Hello'), conversation_id: id } })
      .catch(() => undefined);
    dictation.say('Shown, ');
    const shown = await feed.until('text.delta');
    provider.reply({ kind: 'answer', deltas: ['A longer text'] });
    await one.kill('SIGKILL');
    await lost;
    const history = `/v2/runner/${deploymentId}/conversation/${id}/history?limit=50`;
    await until(async () => (await other.send('GET', history)).body.run_status === 'completed', {
      withinMs: busyMs(RECOVERY_MS * 2),
    });
    const rest = await (await follow(other, id, shown.at(-1)?.id)).until('turn.ended');
    expect(typesOf(rest)).toEqual(['step.restarted', 'text.delta', 'item', 'turn.ended']);
    expect([...assemble(rest, assemble(shown)).values()]).toEqual(['A longer text']);
    dictation.end();
    one = await start();
  });

  it('sends no old text again at a process that was stopped while another one took the turn over', async () => {
    const { deploymentId } = await publishedWorkflow(workflowsOf(one), { recovery: 'CONTINUE' });
    const path = `/v2/runner/${deploymentId}/conversation`;
    provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const first = await one.send('POST', path, { body: { content: textContent('Hello') } });
    const id: string = first.body.conversation_id;
    const [near, far] = [await follow(one, id), await follow(other, id)];
    const lost = dictate(provider);
    const turn = one.send('POST', path, { body: { content: textContent('Hello'), conversation_id: id } });
    lost.say('Shown, ');
    const shown = await near.until('text.delta');
    const received = await far.until('text.delta');
    const dictation = dictate(provider);
    one.child.kill('SIGSTOP');
    dictation.say('A longer ');
    received.push(...(await far.until('text.delta')));
    // Its request arrives before the stopped process can notice that it has lost the run.
    const opening = follow(one, id, received.at(-1)?.id);
    one.child.kill('SIGCONT');
    const moved = await opening;
    dictation.say('text');
    received.push(...(await far.until('text.delta')));
    // The text of the new owner, before it is stored as a message.
    shown.push(...(await near.until('text.delta')));
    dictation.end();
    const rest = await moved.until('turn.ended');
    expect(typesOf(rest)).toEqual(['text.delta', 'item', 'turn.ended']);
    expect([...assemble(rest, assemble(received.slice(0, -1))).values()]).toEqual(['A longer text']);
    const again = await near.until('turn.ended');
    expect([...assemble(again, assemble(shown)).values()]).toEqual(['A longer text']);
    lost.end();
    await turn;
  });
});
