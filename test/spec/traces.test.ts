import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { withCookies } from '../support/client.ts';
import { makeDeployment, makeKey, makeWorkspace, openSession } from '../support/tenants.ts';
import { RUN, SECRET_ARGUMENT, startTracingService, type TracingService } from '../support/traces.ts';
import { visit } from '../support/visits.ts';

let host: TracingService;
beforeAll(async () => {
  host = await startTracingService();
});
afterAll(() => host.close());

const prisma = () => host.service.service.services.stores.prisma;

describe('the trace of a turn', () => {
  it('has each model step and call in order, with prompt, answer, arguments, result, tokens and IDs', async () => {
    const id = await host.toolTurn();
    const { trace, requestId, failure } = await host.readRun(id);
    const [first, call, second] = trace.spans.nodes;
    expect(trace.spans.nodes).toHaveLength(3);
    expect(trace).toMatchObject({ runId: id, deploymentId: host.deploymentId, workflowVersion: 1, requestId });
    expect(failure).toBeNull();
    const [asked, askedAgain] = host.provider.requests.slice(-2).map(({ body }) => body.messages);
    expect(first).toMatchObject({
      __typename: 'ModelStepSpan',
      step: 1,
      model: 'openai-compatible:test',
      attempts: 1,
      inputTokens: 1_000,
      outputTokens: 20,
      failedAttempts: [],
      error: null,
      requestId,
      isTruncated: false,
      prompt: { messagesLeftOut: 0, tools: expect.arrayContaining(['create_resource']) },
      answer: { text: '', calls: [{ name: 'create_resource' }] },
    });
    // The provider's own format has the instructions as the first message.
    const roles = (messages: unknown) => (messages as { role: string }[]).slice(1).map(({ role }) => role);
    expect(first.prompt.messages.map(({ role }: { role: string }) => role)).toEqual(roles(asked));
    expect(second.prompt.messages.map(({ role }: { role: string }) => role)).toEqual(roles(askedAgain));
    expect(first.prompt.instructions).toBe((asked as { content: string }[])[0]?.content);
    expect(first.prompt.instructions).toContain('Help Ada.');
    expect(call).toMatchObject({
      __typename: 'ToolCallSpan',
      step: 1,
      tool: 'create_resource',
      status: 'COMPLETED',
      arguments: { type: 'note', fields: { note: SECRET_ARGUMENT } },
      result: { content: { type: 'note' } },
    });
    expect(second).toMatchObject({ step: 2, finishReason: 'STOP', answer: { text: 'I wrote it down.', calls: [] } });
  });

  it('has the same content on REST, page by page', async () => {
    const id = await host.toolTurn();
    const { trace } = await host.readRun(id);
    const first = (await host.restTrace(id, undefined, '?limit=2')).body;
    expect(first).toMatchObject({ run_id: id, deployment_id: host.deploymentId, request_id: trace.requestId });
    const next = (await host.restTrace(id, undefined, `?limit=2&cursor=${first.spans.meta.nextCursor}`)).body;
    const spans = [...first.spans.data, ...next.spans.data];
    expect(spans).toHaveLength(3);
    expect(spans[0].prompt.messages).toEqual(trace.spans.nodes[0].prompt.messages);
    expect(spans[1]).toMatchObject({ call_status: 'completed', arguments: trace.spans.nodes[1].arguments });
    expect(next.spans.meta).toEqual({ nextCursor: null, hasMore: false });
  });

  it('has the cost of each step if the model has a price', async () => {
    const price = { model: 'openai-compatible:test', inputPerMillion: 2, outputPerMillion: 10 };
    const workspaceId = (await prisma().deployment.findFirstOrThrow({ where: { id: host.deploymentId } })).workspaceId;
    const id = await host.toolTurn();
    const costs = async () => (await host.readRun(id)).trace.spans.nodes.map(({ cost }: { cost?: string }) => cost);
    expect(await costs()).toEqual([null, undefined, null]);
    await prisma().modelPrice.create({ data: { ...price, workspaceId, updatedAt: new Date() } });
    expect(await costs()).toEqual(['0.0022', undefined, '0.0043']);
    await prisma().modelPrice.deleteMany({});
  });

  it('has the attempts that were repeated', async () => {
    host.provider.reply(
      { kind: 'status', status: 500, headers: { 'retry-after-ms': '1' }, body: 'first overload' },
      { kind: 'status', status: 429, headers: { 'retry-after-ms': '1' }, body: 'second overload' },
      { kind: 'answer', deltas: ['Fine.'] },
    );
    const { body } = await host.turn(host.deploymentId);
    const [step] = (await host.readRun(body.run_id)).trace.spans.nodes;
    expect(step).toMatchObject({ attempts: 3, error: null, failureReason: null });
    expect(step.failedAttempts).toMatchObject([
      { status: 500, body: expect.stringContaining('first overload') },
      { status: 429, body: expect.stringContaining('second overload') },
    ]);
  });

  it('describes files instead of containing them', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['Seen.'] });
    const data = Buffer.from('picture '.repeat(50)).toString('base64');
    const content = [...textContent('Look'), { type: 'data', mime_type: 'image/png', data }];
    const { body } = await host.turn(host.deploymentId, { content });
    const [step] = (await host.readRun(body.run_id)).trace.spans.nodes;
    expect(step.prompt.messages.at(-1).content.at(-1)).toEqual({ type: 'file', mediaType: 'image/png', bytes: 400 });
    expect(JSON.stringify(step)).not.toContain(data.slice(0, 40));
  });
});

describe('a failure', () => {
  it.each([
    [401, 'PROVIDER_KEY_REJECTED', 'OPENAI_API_KEY'],
    [404, 'PROVIDER_MODEL_UNKNOWN', 'workflow'],
    [429, 'PROVIDER_LIMITED', 'limit'],
    [400, 'PROVIDER_REFUSED', 'trace'],
    [503, 'PROVIDER_FAILED', 'status page'],
  ])('with status %i of the provider is %s, with its response and advice', async (status, reason, advice) => {
    const run = await host.readRun(await host.failedTurn(status, `The reason of ${status}`));
    expect(run).toMatchObject({ status: 'FAILED', failure: { reason } });
    expect(run.failure.advice).toContain(advice);
    const step = run.trace.spans.nodes.at(-1);
    expect(step).toMatchObject({
      failureReason: reason,
      inputTokens: null,
      error: expect.stringContaining(`${status}`),
    });
    expect(step.failedAttempts.at(-1)).toMatchObject({ status });
    expect(step.failedAttempts.at(-1).body).toContain(`The reason of ${status}`);
  });

  it('of a process that ended, and of a call that expired, has a reason and advice of its own', async () => {
    const id = await host.failedTurn(500);
    for (const code of ['process_lost', 'action_expired', 'cancelled', 'model_timeout', 'a code of a later version']) {
      await prisma().run.updateMany({ where: { id }, data: { errorCode: code, failureReason: null } });
      const { failure } = await host.readRun(id);
      expect(failure.reason).toBe(code.startsWith('a ') ? 'INTERNAL_ERROR' : code.toUpperCase());
      expect(failure.advice).not.toBe('');
    }
  });

  it('never shows an API key that the provider repeats', async () => {
    // The key of the service, and keys that look like those of providers.
    const keys = ['a-key', 'sk-proj-abcdefghijkl', 'Bearer abcdefghijkl'];
    const id = await host.failedTurn(401, `You sent ${keys.join(' and ')}.`);
    const text = JSON.stringify(await host.readRun(id));
    expect(text).toContain('You sent [secret]');
    for (const key of ['a-key', 'sk-proj', 'abcdefghijkl']) expect(text).not.toContain(key);
  });

  it('is visible to viewers, without the response of the provider', async () => {
    const id = await host.failedTurn(401, 'For developers only');
    const run = await host.readRun(id, await openSession(host.service, 'viewer'));
    expect(run).toMatchObject({ failure: { reason: 'PROVIDER_KEY_REJECTED' }, trace: null });
    expect(JSON.stringify(run)).not.toContain('For developers only');
  });
});

describe('access to a trace', () => {
  it.each(['owner', 'admin', 'developer'] as const)('is allowed for the role %s', async (role) => {
    const id = await host.toolTurn();
    const key = await openSession(host.service, role);
    expect((await host.readRun(id, key)).trace.spans.nodes).toHaveLength(3);
    expect((await host.restTrace(id, key)).status).toBe(200);
  });

  it('is not allowed for viewers, and for keys without the scope traces:read', async () => {
    const id = await host.toolTurn();
    const viewer = await openSession(host.service, 'viewer');
    const weak = await makeKey(host.service, { scopes: ['conversations:read', 'workflows:read'] });
    for (const key of [viewer, weak]) {
      expect((await host.readRun(id, key)).trace).toBeNull();
      const response = await host.restTrace(id, key);
      expect([response.status, response.body.error.required_scope]).toEqual([403, 'traces:read']);
    }
    const only = await makeKey(host.service, { scopes: ['traces:read'] });
    expect((await host.restTrace(id, only)).status).toBe(200);
  });

  it('is not allowed for the other environment and other workspaces, with the error of an unknown run', async () => {
    const id = await host.toolTurn();
    const unknown = await host.restTrace(randomUUID());
    const another = await makeWorkspace(host.service);
    for (const key of [host.service.keys.test, another.keys.live]) {
      expect((await host.service.graphql(RUN, { id }, { key })).body.data.run).toBeNull();
      const response = await host.restTrace(id, key);
      expect(response.status).toBe(404);
      expect(response.body.error.message).toBe(unknown.body.error.message);
    }
  });

  it('is not allowed for the visitor whose turn it is', async () => {
    const open = { kind: 'agent', hostedPage: true, authRequired: false } as const;
    const { id: deployment } = await makeDeployment(host.service, {}, open);
    const { cookie } = await visit(host.service, deployment, { page: 'agent' });
    const client = withCookies(host.service, cookie);
    host.provider.reply({ kind: 'status', status: 401, body: 'For developers only' });
    const path = `/v2/runner/${deployment}/conversation`;
    const { body } = await client.send('POST', path, { body: { content: textContent('Hi') }, key: null });
    const { run_id, conversation_id } = body.error;
    const document =
      'query ($id: ID!, $deployment: ID!) { conversation(id: $id, deploymentId: $deployment) { latestRun { status requestId failure { message } trace { runId } } } }';
    const read = await client.graphql(document, { id: conversation_id, deployment }, { key: null });
    const hidden = { status: 'FAILED', requestId: null, failure: null, trace: null };
    expect(read.body.data.conversation.latestRun).toEqual(hidden);
    expect((await client.send('GET', `/v1/runs/${run_id}/trace`, { key: null })).status).toBe(401);
  });
});
