import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { readEvents } from '../support/streams.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const V1 = `/v1/runner/${DEMO_CHAT_ID}`;
const PATHS = [V1, `/v2/runner/${DEMO_CHAT_ID}`];

async function logLine(id: number) {
  return service.service.services.stores.prisma.workflowLog.findFirstOrThrow({ where: { id } });
}

const counts = async () => {
  const { prisma } = service.service.services.stores;
  return Promise.all([prisma.conversation.count(), prisma.run.count(), prisma.timelineItem.count()]);
};

describe.each(PATHS)('one-shot through %s', (path) => {
  const once = (body: object) => service.send('POST', path, { body });

  it('responds and stores only a workflow log entry', async () => {
    const before = await counts();
    const { status, body } = await once({ content: textContent('/instructions'), variables: { NAME: 'Ann' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      content: expect.stringContaining('called Ann.'),
      model: 'demo',
      finish_reason: 'stop',
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      response_time: expect.any(Number),
      request_id: expect.any(String),
      workflow_log_id: expect.any(Number),
    });
    expect(await counts()).toEqual(before);
    expect(await logLine(body.workflow_log_id)).toMatchObject({
      outcome: 'completed',
      conversationId: null,
      runId: null,
      deploymentId: DEMO_CHAT_ID,
      requestId: body.request_id,
      inputTokens: body.input_tokens,
      outputTokens: body.output_tokens,
    });
  });

  it('offers no client tools and no completion, and lets the model continue without them', async () => {
    const { body } = await once({ content: textContent('/ask\n/complete\n/say Done.') });
    expect(body.content).toBe('Done.');
  });

  it('runs from a trigger repeatedly and leaves it unused', async () => {
    const created = await service.send('POST', `${V1}/trigger`, { body: { content: textContent('Stored') } });
    const trigger_id: string = created.body.id;
    const first = await once({ trigger_id });
    expect(first.body.content).toBe('You said: Stored');
    const second = await once({ trigger_id, content: textContent('Mine') });
    expect(second.body.content).toBe('You said: Mine');
    const { body } = await service.send('GET', `${V1}/trigger/${trigger_id}`);
    expect(body).toMatchObject({ conversation_id: null, workflow_log_id: second.body.workflow_log_id });
    expect(await logLine(second.body.workflow_log_id)).toMatchObject({ triggerId: trigger_id });
  });

  it.each([
    [7, 'called 7.'],
    [0.5, 'called 0.5.'],
    [true, 'called true.'],
    [false, 'called false.'],
  ])('writes the variable %j as text', async (value, text) => {
    const { status, body } = await once({ content: textContent('/instructions'), variables: { NAME: value } });
    expect([status, body.content]).toEqual([200, expect.stringContaining(text)]);
  });

  it('returns 502 if the model fails, and logs it', async () => {
    const failed = await once({ content: textContent('/fail') });
    expectError(failed, 'model_error', { param: null });
    const line = await service.service.services.stores.prisma.workflowLog.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(line).toMatchObject({ outcome: 'failed', errorCode: 'model_error', requestId: failed.body.request_id });
  });

  it.each([
    [{}, 'content'],
    [{ content: [] }, 'content'],
    [{ content: textContent('Hi'), variables: { a: null } }, 'variables.a'],
    [{ content: textContent('Hi'), variables: { a: [1] } }, 'variables.a'],
    [{ content: textContent('Hi'), variables: { a: 'x'.repeat(10_001) } }, 'variables.a'],
  ])('rejects %.80j', async (body, param) => {
    expectError(await once(body), 'invalid_request', { param });
  });

  it('runs three SQL statements: credentials with the deployment, the log, and the trigger if there is one', async () => {
    const taken = async (body: object) => {
      service.takeStatements();
      expect((await once(body)).status).toBe(200);
      return service.takeStatements();
    };
    expect(await taken({ content: textContent('Hi') })).toHaveLength(2);
    const { body } = await service.send('POST', `${V1}/trigger`, { body: { content: textContent('Stored') } });
    expect(await taken({ trigger_id: body.id })).toHaveLength(3);
  });
});

describe('a one-shot stream', () => {
  const open = (body: object, accept: string, signal?: AbortSignal) =>
    fetch(`${service.url}${V1}/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.keys.live}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });

  it('writes the reply as text, without headers of a conversation', async () => {
    const response = await open({ content: textContent('/stream 5') }, 'text/plain');
    expect(response.headers.get('x-conversation-id')).toBeNull();
    expect(response.headers.get('x-run-id')).toBeNull();
    expect(await response.text()).toBe('word1 word2 word3 word4 word5');
  });

  it('sends start, deltas and done as events', async () => {
    const events = await readEvents(await open({ content: textContent('/stream 2') }, 'text/event-stream'));
    expect(events.map(({ event }) => event)).toEqual(['start', 'delta', 'delta', 'done']);
    expect(events[0]?.data).toEqual({});
    expect(events.at(-1)?.data).toEqual({
      content: 'word1 word2',
      model: 'demo',
      finish_reason: 'stop',
      input_tokens: expect.any(Number),
      output_tokens: 2,
      response_time: expect.any(Number),
      request_id: expect.any(String),
      workflow_log_id: expect.any(Number),
    });
  });

  it('stops when its client disconnects, and logs the interruption', async () => {
    const abort = new AbortController();
    const response = await open(
      { content: textContent('/say Now && /call nothing\n/slow 60\n/say never') },
      'text/plain',
      abort.signal,
    );
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    const {
      process: { runs },
      stores: { prisma },
    } = service.service.services;
    await expect.poll(() => runs.activeCount).toBe(0);
    const line = await prisma.workflowLog.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(line).toMatchObject({ outcome: 'interrupted', errorCode: null, runId: null });
  });

  it('returns an ordinary error for a fault before the first byte', async () => {
    const response = await open({ content: textContent('/fail') }, 'text/plain');
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'model_error' } });
  });
});
