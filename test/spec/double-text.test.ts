import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoubleTextPolicy } from '../../src/contract/statuses.ts';
import { textContent } from '../support/agent-apis.ts';
import type { HttpResponse } from '../support/client.ts';
import { startService, type TestService } from '../support/service.ts';
import { openStream, readEvents } from '../support/streams.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
const deployments: Partial<Record<DoubleTextPolicy, string>> = {};
beforeAll(async () => {
  service = await startService();
  for (const doubleTextPolicy of ['reject', 'enqueue', 'interrupt'] as const) {
    const { id } = await makeDeployment(service, {}, { kind: 'agent', doubleTextPolicy });
    deployments[doubleTextPolicy] = id;
  }
});
afterAll(() => service.close());

type Version = 'v1' | 'v2';

const LOOKUP = [{ name: 'lookup', input_schema: { type: 'object' } }];

function sendTurn(
  policy: DoubleTextPolicy,
  version: Version,
  text: string,
  fields: object = {},
): Promise<HttpResponse> {
  return service.send('POST', `/${version}/runner/${deployments[policy]}/conversation`, {
    body: { content: textContent(text), ...fields },
  });
}

async function startConversation(policy: DoubleTextPolicy): Promise<string> {
  return (await sendTurn(policy, 'v2', 'Hello')).body.conversation_id;
}

/** The stored messages in order, and the status of each run. */
async function stored(conversationId: string) {
  const { prisma } = service.service.services.stores;
  const items = await prisma.timelineItem.findMany({ where: { conversationId }, orderBy: { id: 'asc' } });
  const runs = await prisma.run.findMany({ where: { conversationId }, orderBy: { createdAt: 'asc' } });
  return {
    texts: items
      .filter(({ kind }) => kind === 'message')
      .map(({ content }) => (content as { text: string }[])[0]?.text),
    runs: runs.map(({ status }) => status),
    queued: await prisma.queuedTurn.count({ where: { conversationId } }),
  };
}

const expectStored = (conversationId: string, expected: object) =>
  expect.poll(() => stored(conversationId)).toMatchObject(expected);

const waitForRunning = (conversationId: string) =>
  until(async () => (await stored(conversationId)).runs.includes('running'));

const waitForQueued = (conversationId: string, count: number) =>
  until(async () => (await stored(conversationId)).queued === count);

describe('double-text policy: reject', () => {
  it('rejects a message while a turn is running', async () => {
    const conversation_id = await startConversation('reject');
    const slow = sendTurn('reject', 'v2', '/slow 3', { conversation_id });
    await waitForRunning(conversation_id);
    const rejected = await sendTurn('reject', 'v2', 'Me too', { conversation_id });
    expect(rejected).toMatchObject({ status: 409, body: { error: { code: 'run_in_progress' } } });
    expect((await slow).status).toBe(200);
  });
});

describe.each(['v1', 'v2'] as const)('double-text policy: enqueue (%s)', (version) => {
  it('responds to the messages in the order of their arrival', async () => {
    const conversation_id = await startConversation('enqueue');
    const responses = [sendTurn('enqueue', version, '/slow 3\n/say first', { conversation_id })];
    await waitForRunning(conversation_id);
    for (const number of [1, 2, 3]) {
      responses.push(sendTurn('enqueue', version, `/say reply ${number}`, { conversation_id }));
      await waitForQueued(conversation_id, number);
    }
    const results = await Promise.all(responses);
    expect(results.map(({ status, body }) => [status, body.content])).toEqual([
      [200, 'first'],
      [200, 'reply 1'],
      [200, 'reply 2'],
      [200, 'reply 3'],
    ]);
    const { texts, runs, queued } = await stored(conversation_id);
    expect(texts.filter((_, index) => index % 2 === 1).slice(1)).toEqual(['first', 'reply 1', 'reply 2', 'reply 3']);
    expect([runs.every((status) => status === 'completed'), queued]).toEqual([true, 0]);
  });

  it('continues after a failed turn', async () => {
    const conversation_id = await startConversation('enqueue');
    const failing = sendTurn('enqueue', version, '/slow 0.3\n/fail', { conversation_id });
    await waitForRunning(conversation_id);
    const next = sendTurn('enqueue', version, 'Again', { conversation_id });
    expect([(await failing).status, (await next).body.content]).toEqual([502, 'You said: Again']);
  });
});

describe('double-text policy: enqueue', () => {
  it('rejects a queued message with 409 when the turn before it pauses for its client, and stores nothing of it', async () => {
    const conversation_id = await startConversation('enqueue');
    const pausing = sendTurn('enqueue', 'v2', '/slow 0.3\n/call lookup {}', {
      conversation_id,
      client_capabilities: LOOKUP,
    });
    await waitForRunning(conversation_id);
    const rejected = await sendTurn('enqueue', 'v2', 'Not now', { conversation_id });
    expect(await pausing).toMatchObject({ body: { run_status: 'waiting_for_client_action' } });
    expect(rejected).toMatchObject({ status: 409, body: { error: { code: 'client_action_required' } } });
    const { texts, queued } = await stored(conversation_id);
    expect([texts.includes('Not now'), queued]).toEqual([false, 0]);
  });

  it('rejects a queued message with 409 when the turn before it completes the conversation', async () => {
    const { id } = await makeDeployment(
      service,
      { allowConversationCompletion: true },
      { kind: 'agent', doubleTextPolicy: 'enqueue' },
    );
    const path = `/v2/runner/${id}/conversation`;
    const send = (text: string, fields = {}) =>
      service.send('POST', path, { body: { content: textContent(text), ...fields } });
    const { conversation_id } = (await send('Hello')).body;
    const completing = send('/slow 0.3\n/complete\n/say Bye', { conversation_id });
    await waitForRunning(conversation_id);
    const rejected = await send('One more thing', { conversation_id });
    expect(await completing).toMatchObject({ body: { conversation_status: 'completed' } });
    expect(rejected).toMatchObject({ status: 409, body: { error: { code: 'conversation_completed' } } });
  });

  it('queues ten messages and rejects the eleventh with 409', async () => {
    const conversation_id = await startConversation('enqueue');
    const slow = sendTurn('enqueue', 'v2', '/slow 4', { conversation_id });
    await waitForRunning(conversation_id);
    const messages = Array.from({ length: 11 }, (_, number) =>
      sendTurn('enqueue', 'v2', `${number}`, { conversation_id }),
    );
    const rejected = await Promise.race(messages);
    expect(rejected).toMatchObject({
      status: 409,
      body: { error: { code: 'run_in_progress', message: expect.stringContaining('10 messages') } },
    });
    expect((await slow).status).toBe(200);
    const statuses = (await Promise.all(messages)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  });

  it('streams the reply to a queued message, and drops a queued message whose client has disconnected', async () => {
    const conversation_id = await startConversation('enqueue');
    const slow = sendTurn('enqueue', 'v2', '/slow 3', { conversation_id });
    await waitForRunning(conversation_id);
    const abort = new AbortController();
    const path = `${service.url}/v1/runner/${deployments.enqueue}/conversation/stream`;
    const headers = { authorization: `Bearer ${service.keys.live}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ content: textContent('Forget me'), conversation_id });
    const aborted = fetch(path, { method: 'POST', headers, body, signal: abort.signal }).catch(() => 'left');
    await waitForQueued(conversation_id, 1);
    const stream = openStream(
      service,
      { content: textContent('Stay'), conversation_id },
      { deploymentId: deployments.enqueue ?? '' },
    );
    await waitForQueued(conversation_id, 2);
    abort.abort();
    expect(await aborted).toBe('left');
    expect((await slow).status).toBe(200);
    expect((await (await stream).chunks()).join('')).toBe('You said: Stay');
    await expectStored(conversation_id, { queued: 0 });
    expect((await stored(conversation_id)).texts).not.toContain('Forget me');
  });
});

describe('double-text policy: interrupt', () => {
  it.each(['v1', 'v2'] as const)(
    'stops the running %s turn and responds to the next message at once',
    async (version) => {
      const conversation_id = await startConversation('interrupt');
      const stopped = sendTurn('interrupt', version, '/slow 60', { conversation_id });
      await waitForRunning(conversation_id);
      const next = await sendTurn('interrupt', version, 'Instead', { conversation_id });
      expect(next).toMatchObject({ status: 200, body: { content: 'You said: Instead' } });
      expect(await stopped).toMatchObject({ status: 200, body: { content: '' } });
      if (version === 'v2') expect((await stopped).body.run_status).toBe('interrupted');
      expect(await stored(conversation_id)).toEqual({
        texts: ['Hello', 'You said: Hello', '/slow 60', 'Instead', 'You said: Instead'],
        runs: ['completed', 'interrupted', 'completed'],
        queued: 0,
      });
    },
  );

  it('keeps the partial text and ends its stream with a done event', async () => {
    const conversation_id = await startConversation('interrupt');
    const { response } = await openStream(
      service,
      { content: textContent('/stream 10000'), conversation_id },
      { deploymentId: deployments.interrupt ?? '', accept: 'text/event-stream' },
    );
    const events = readEvents(response);
    await waitForRunning(conversation_id);
    const next = await sendTurn('interrupt', 'v2', 'Enough', { conversation_id });
    expect(next.body.content).toBe('You said: Enough');
    const results = await events;
    const written = results.flatMap(({ event, data }) => (event === 'delta' ? [data.text] : [])).join('');
    expect(results.at(-1)).toMatchObject({ event: 'done', data: { content: written } });
    const { texts, runs } = await stored(conversation_id);
    expect(texts.slice(2)).toEqual([
      '/stream 10000',
      ...(written === '' ? [] : [written]),
      'Enough',
      'You said: Enough',
    ]);
    expect(runs).toEqual(['completed', 'interrupted', 'completed']);
  });

  it('keeps accepted tool results and does not bypass a pending action', async () => {
    const conversation_id = await startConversation('interrupt');
    const script = '/call lookup {}\n/slow 60';
    const paused = await sendTurn('interrupt', 'v2', script, { conversation_id, client_capabilities: LOOKUP });
    const rejected = await sendTurn('interrupt', 'v2', 'Never mind', { conversation_id });
    expect(rejected).toMatchObject({ status: 409, body: { error: { code: 'client_action_required' } } });
    const output = { found: 'Ann' };
    const tool_results = [{ call_id: paused.body.client_tool_calls[0].call_id, output }];
    const path = `/v2/runner/${deployments.interrupt}/conversation`;
    const resumed = service.send('POST', path, { body: { conversation_id, tool_results } });
    await waitForRunning(conversation_id);
    expect((await sendTurn('interrupt', 'v2', 'Go on', { conversation_id })).status).toBe(200);
    expect((await resumed).body).toMatchObject({ run_status: 'interrupted', content: '' });
    const { items } = (await service.send('GET', `${path}/${conversation_id}/history`)).body;
    const tool = items.find(({ type }: { type: string }) => type === 'client_tool');
    expect(tool).toMatchObject({ status: 'completed', output });
  });

  it('does not stop a paused turn after its resume', async () => {
    const conversation_id = await startConversation('interrupt');
    const script = '/call lookup {}\n/say done';
    const paused = await sendTurn('interrupt', 'v2', script, { conversation_id, client_capabilities: LOOKUP });
    // The state that a request leaves just before the pause.
    await service.service.services.stores.prisma.run.updateMany({
      where: { id: paused.body.run_id },
      data: { interrupted: true },
    });
    const [{ call_id }] = paused.body.client_tool_calls;
    const resumed = await service.send('POST', `/v2/runner/${deployments.interrupt}/conversation`, {
      body: { conversation_id, tool_results: [{ call_id, output: {} }] },
    });
    expect(resumed.body).toMatchObject({ run_status: 'completed', content: 'done' });
  });
});
