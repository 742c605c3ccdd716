import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { openStream, readEvents } from '../support/streams.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
  const openai = { apiKey: 'k', baseUrl: provider.url };
  service = await startService({ providers: { openai, anthropic: {} } });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

/** A stored conversation. Default: the newest one. */
async function latest(id?: string | null) {
  const { prisma } = service.service.services.stores;
  const conversation = await prisma.conversation.findFirstOrThrow({
    where: id ? { id } : {},
    orderBy: { createdAt: 'desc' },
    include: { latestRun: true, items: { orderBy: { id: 'asc' } } },
  });
  const messages = conversation.items.map(({ content }) => (content as { text: string }[])[0]?.text);
  return { id: conversation.id, runId: conversation.latestRunId, status: conversation.latestRun?.status, messages };
}

const settled = () => expect.poll(() => service.service.services.process.runs.activeCount).toBe(0);

describe('streaming as text', () => {
  it('streams the reply, with headers that name the conversation and the run', async () => {
    const stream = await openStream(service, { content: textContent('/stream 50') });
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toContain('no-transform');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    const chunks = await stream.chunks();
    expect(chunks.length).toBeGreaterThan(10);
    const text = Array.from({ length: 50 }, (_, index) => `word${index + 1}`).join(' ');
    expect(chunks.join('')).toBe(text);
    const stored = await latest();
    expect(stored).toMatchObject({ status: 'completed', messages: ['/stream 50', text] });
    expect(stream.response.headers.get('x-conversation-id')).toBe(stored.id);
    expect(stream.response.headers.get('x-run-id')).toBe(stored.runId);
  });

  it('continues the given conversation', async () => {
    const first = await openStream(service, { content: textContent('Hello') });
    await first.chunks();
    const conversation_id = first.response.headers.get('x-conversation-id');
    const second = await openStream(service, { content: textContent('Again'), conversation_id });
    expect((await second.chunks()).join('')).toBe('You said: Again');
    expect((await latest()).messages).toEqual(['Hello', 'You said: Hello', 'Again', 'You said: Again']);
  });

  it.each([
    ['a wrong body', { content: [] }, 400, 'invalid_request'],
    ['a model that fails at once', { content: textContent('/fail') }, 502, 'model_error'],
    ['no such conversation', { content: textContent('Hi'), conversation_id: crypto.randomUUID() }, 404, 'not_found'],
  ])('responds to %s before the first byte with an ordinary error', async (_description, body, status, code) => {
    const { response } = await openStream(service, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('closes the connection if the model fails after the first byte, and keeps the partial text', async () => {
    const stream = await openStream(service, { content: textContent('/say the beginning && /fail') });
    await expect(stream.chunks()).rejects.toThrow();
    await settled();
    expect(await latest()).toMatchObject({ status: 'failed', messages: [expect.any(String), 'the beginning'] });
  });

  it('ends an empty reply cleanly', async () => {
    // Without instructions, a model that repeats them has an empty reply.
    const { id } = await makeDeployment(service, {});
    const stream = await openStream(service, { content: textContent('/instructions') }, { deploymentId: id });
    expect(stream.response.status).toBe(200);
    expect(await stream.chunks()).toEqual([]);
  });
});

describe('streaming as server-sent events', () => {
  it('sends start, deltas and done, which contains the whole turn', async () => {
    const { response } = await openStream(
      service,
      { content: textContent('/stream 3') },
      { accept: 'text/event-stream' },
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await readEvents(response);
    expect(events.map(({ event }) => event)).toEqual(['start', 'delta', 'delta', 'delta', 'done']);
    const [start, ...rest] = events;
    const stored = await latest();
    expect(start?.data).toEqual({ conversation_id: stored.id, run_id: stored.runId, name: '/stream 3' });
    expect(
      rest
        .slice(0, 3)
        .map(({ data }) => data.text)
        .join(''),
    ).toBe('word1 word2 word3');
    expect(rest.at(-1)?.data).toMatchObject({
      conversation_id: stored.id,
      status: 'active',
      content: 'word1 word2 word3',
    });
  });

  it.each([
    ['Text/Event-Stream', 'text/event-stream'],
    ['text/event-stream; q=0.1, text/plain', 'text/event-stream'],
    ['text/event-stream;q=0', 'text/plain; charset=utf-8'],
    ['text/event-stream;q=0.0, */*', 'text/plain; charset=utf-8'],
    ['text/event-streams', 'text/plain; charset=utf-8'],
    ['*/*', 'text/plain; charset=utf-8'],
  ])('follows the header Accept: %s gets %s', async (accept, type) => {
    const { response } = await openStream(service, { content: textContent('Hi') }, { accept });
    expect(response.headers.get('content-type')).toBe(type);
    await response.text();
  });

  it('sends the error body as an event after the first byte', async () => {
    const sent = await openStream(
      service,
      { content: textContent('/say so far && /fail') },
      { accept: 'text/event-stream' },
    );
    const events = await readEvents(sent.response);
    expect(events.map(({ event }) => event).slice(-2)).toEqual(['delta', 'error']);
    const { id, runId } = await latest();
    expect(events.at(-1)?.data.error).toMatchObject({ code: 'model_error', conversation_id: id, run_id: runId });
  });

  it('is a GraphQL subscription with the same events', async () => {
    const query = `subscription ($input: SendMessageInput!) { replyStream(input: $input) {
      event ... on ReplyDelta { text } ... on ReplyDone { turn { content } } } }`;
    const variables = { input: { deploymentId: DEMO_CHAT_ID, content: graphText('/stream 2') } };
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.keys.live}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query, variables }),
    });
    const events = (await readEvents(response)).filter(({ event }) => event === 'next');
    expect(events.map(({ data }) => (data.data as { replyStream: { event: string } }).replyStream.event)).toEqual([
      'START',
      'DELTA',
      'DELTA',
      'DONE',
    ]);
  });
});

describe('a client that disconnects', () => {
  it('stops the model, loses nothing that was sent, and leaves the conversation usable, 50 times at any delta', async () => {
    const abort = async (take: number) => {
      const stream = await openStream(service, { content: textContent('/stream 200') });
      return { read: await stream.take(take), id: stream.response.headers.get('x-conversation-id') };
    };
    for (let batch = 0; batch < 5; batch += 1) {
      const takes = Array.from({ length: 10 }, (_, index) => 1 + ((batch * 10 + index * 7) % 30));
      const left = await Promise.all(takes.map(abort));
      await settled();
      for (const { read, id } of left) {
        const stored = await latest(id);
        expect(stored.status).toBe('interrupted');
        expect(stored.messages).toHaveLength(2);
        expect(stored.messages[1]?.startsWith(read)).toBe(true);
        expect(stored.messages[1]?.length).toBeLessThan(1_000);
      }
    }
    const { id } = await latest();
    const next = await service.chat('Still there?', { conversation_id: id });
    expect(next.body.content).toBe('You said: Still there?');
  });

  it('lets the next message wait for the end of its turn instead of 409, 20 times', async () => {
    const repeated = async () => {
      const stream = await openStream(service, { content: textContent('/stream 400') });
      const id = stream.response.headers.get('x-conversation-id');
      await stream.take(3);
      return service.chat('Still there?', { conversation_id: id });
    };
    for (let count = 0; count < 20; count += 1) {
      const { status, body } = await repeated();
      expect([status, body.content]).toEqual([200, 'You said: Still there?']);
    }
  });

  it('causes 409 for a message while another client still reads the reply', async () => {
    const document = `subscription ($id: ID!) { replyStream(input: { deploymentId: $id
      content: [{ text: "/slow 60\\n/say late" }] }) { ... on ReplyStarted { conversationId } } }`;
    const stream = await subscribe(service, document, { id: DEMO_CHAT_ID }, service.keys.live);
    const { conversationId } = (await stream.next()).data.replyStream;
    expect((await service.chat('Hello?', { conversation_id: conversationId })).status).toBe(409);
    await stream.close();
    await settled();
  });

  it('stops a model that is silent at that moment', async () => {
    const stream = await openStream(
      service,
      { content: textContent('/slow 60\n/say late') },
      { accept: 'text/event-stream' },
    );
    await stream.take(1);
    await settled();
    expect(await latest()).toMatchObject({ status: 'interrupted', messages: ['/slow 60\n/say late'] });
  });
});

describe('a provider', () => {
  beforeEach(async () => {
    const { prisma } = service.service.services.stores;
    const { workflowId } = await prisma.deployment.findUniqueOrThrow({ where: { id: DEMO_CHAT_ID } });
    const version = { workflowId, number: 2, config: { model: 'openai:gpt' }, createdAt: new Date() };
    await prisma.workflowVersion.upsert({
      where: { workflowId_number: { workflowId, number: 2 } },
      create: version,
      update: {},
    });
    await prisma.deployment.update({ where: { id: DEMO_CHAT_ID }, data: { publishedVersion: 2 } });
  });

  it('streams its first delta before the rest arrives, and keeps it when the client disconnects', async () => {
    provider.reply({ kind: 'stall', deltas: ['The first ', 'words'] });
    const requests = provider.nextRequest();
    const stream = await openStream(service, { content: textContent('Hi') });
    expect(await stream.take(1)).toContain('The first ');
    await (await requests).closed;
    await settled();
    expect(await latest()).toMatchObject({ status: 'interrupted', messages: ['Hi', 'The first words'] });
  });

  it.each(['cut', 'eof', 'error-event'] as const)(
    'is recognized as failed when its response breaks off (%s)',
    async (kind) => {
      provider.reply({ kind, deltas: ['Half an ', 'answer'] });
      const events = await readEvents(
        (await openStream(service, { content: textContent('Hi') }, { accept: 'text/event-stream' })).response,
      );
      expect(events.at(-1)).toMatchObject({ event: 'error', data: { error: { code: 'model_error' } } });
      expect(await latest()).toMatchObject({ status: 'failed', messages: ['Hi', 'Half an answer'] });
      provider.reply({ kind, deltas: ['Half an ', 'answer'] });
      await expect((await openStream(service, { content: textContent('Hi') })).chunks()).rejects.toThrow();
    },
  );
});
