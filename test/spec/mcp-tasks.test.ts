import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectMcp, connectModernMcp } from '../support/mcp-client.ts';
import { QUESTION, startTaskService, TASKS_EXTENSION, type TaskService, taskClient } from '../support/mcp-tasks.ts';
import { makeKey } from '../support/tenants.ts';

let tasks: TaskService;
beforeAll(async () => {
  tasks = await startTaskService();
});
afterAll(() => tasks.service.close());

describe('a task', () => {
  it('is the turn: it begins with ask_deployment, and tasks/get has its result', async () => {
    const created = await tasks.start('/say Hello');
    expect(created).toMatchObject({
      ...{ resultType: 'task', taskId: expect.stringMatching(/^[0-9a-f-]{36}$/), ttlMs: null },
      ...{ createdAt: expect.stringMatching(/Z$/), lastUpdatedAt: expect.stringMatching(/Z$/), pollIntervalMs: 1_000 },
    });
    const task = await tasks.client.settled(created.taskId);
    expect(task).toMatchObject({ resultType: 'complete', taskId: created.taskId, status: 'completed' });
    const run = { run_id: created.taskId, run_status: 'completed', content: 'Hello', pending_actions: [] };
    expect(task.result.structuredContent).toMatchObject(run);
    expect(JSON.parse(task.result.content[0].text)).toEqual(task.result.structuredContent);
  });

  it('is readable by another client with the same access, as the official client reads it', async () => {
    const { taskId } = await tasks.settle('/say Shared');
    const key = await makeKey(tasks.service, { scopes: ['conversations:read', 'conversations:write'] });
    const result = z.looseObject({ status: z.string() });
    const other = await connectModernMcp(tasks.service.url, { key, extensions: { [TASKS_EXTENSION]: {} } });
    expect(await other.request({ method: 'tasks/get', params: { taskId } }, result)).toMatchObject({
      status: 'completed',
    });
    await other.close();
  });

  it('is created once with an idempotency key', async () => {
    const [first, second] = [
      await tasks.start('/say Once', { idempotency_key: 'task-once' }),
      await tasks.start('/say Once', { idempotency_key: 'task-once' }),
    ];
    expect(second.taskId).toBe(first.taskId);
  });

  it('is not created for a call with an error', async () => {
    const { isError, content } = await tasks.start('/say Hello', { surprise: 1 });
    expect([isError, JSON.parse(content[0].text).error.param]).toEqual([true, 'surprise']);
  });

  it('has the error of the tool as its result if the turn fails', async () => {
    const { status, statusMessage, result } = await tasks.settle('/fail');
    expect([status, result.isError, typeof statusMessage]).toEqual(['completed', true, 'string']);
    expect(JSON.parse(result.content[0].text).error).toMatchObject({ code: 'model_error', run_id: expect.any(String) });
  });
});

describe('tasks/cancel', () => {
  it.each([
    ['waits', QUESTION],
    ['runs', '/slow 20\n/say Done'],
  ])('stops a turn that %s', async (_case, script) => {
    const { taskId } = await tasks.start(script, { client_capabilities: ['ask_user'] });
    if (script === QUESTION) await tasks.client.settled(taskId);
    expect(await tasks.client.cancel(taskId)).toMatchObject({ resultType: 'complete' });
    expect((await tasks.client.settled(taskId)).status).toBe('cancelled');
  });

  it('leaves a task that has ended, and the later turn of its conversation', async () => {
    const ended = await tasks.settle('/say First');
    const { conversation_id } = ended.result.structuredContent;
    const { taskId } = await tasks.start(QUESTION, { conversation_id, client_capabilities: ['ask_user'] });
    await tasks.client.settled(taskId);
    await tasks.client.cancel(ended.taskId);
    expect((await tasks.client.get(ended.taskId)).status).toBe('completed');
    expect((await tasks.client.get(taskId)).status).toBe('input_required');
    await tasks.client.cancel(taskId);
  });
});

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;

describe.each(METHODS)('%s', (method) => {
  it('has the same error for unknown tasks and those of another environment', async () => {
    const { taskId } = await tasks.settle('/say Mine');
    const foreign = taskClient(tasks.service.url, tasks.service.keys.test);
    const errors = await Promise.all([
      foreign.request(method, { taskId, inputResponses: {} }),
      ...['00000000-0000-4000-8000-000000000000', 'x', '', `${taskId}0`].map((unknown) =>
        tasks.client.request(method, { taskId: unknown, inputResponses: {} }),
      ),
    ]);
    expect(errors.map(({ error }) => [error.code, error.message])).toEqual(
      errors.map(() => [-32602, expect.stringContaining('Task not found.')]),
    );
  });

  it.each([undefined, null, 1, {}, [], 'x'.repeat(129)])('rejects the ID %.20j', async (taskId) => {
    const { error } = await tasks.client.request(method, { taskId, inputResponses: {} });
    expect([-32602, -32020]).toContain(error.code);
  });

  it('names the ID that is too long', async () => {
    const { error } = await tasks.client.request(method, { taskId: 'x'.repeat(129), inputResponses: {} });
    expect(error.data.param).toBe('params.taskId');
  });

  it('needs the extension', async () => {
    const { taskId } = await tasks.settle('/say Mine');
    const plain = taskClient(tasks.service.url, tasks.service.keys.live, {});
    const { error } = await plain.request(method, { taskId, inputResponses: {} });
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
    expect([error.code, error.data]).toEqual([-32021, { requiredCapabilities }]);
  });

  it('does not exist for clients of 2025', async () => {
    const earlier = await connectMcp(tasks.service.url, { key: tasks.service.keys.live });
    await expect(earlier.request({ method, params: { taskId: 'x' } } as never, z.any() as never)).rejects.toThrow(
      '-32601',
    );
    await earlier.close();
  });

  it('needs the scope to read conversations', async () => {
    const { taskId } = await tasks.settle('/say Mine');
    const key = await makeKey(tasks.service, { scopes: ['conversations:write'] });
    const { error } = await taskClient(tasks.service.url, key).request(method, { taskId, inputResponses: {} });
    expect([error.code, error.data.code]).toEqual([-32602, 'forbidden']);
  });
});

describe('the extension', () => {
  it('is announced to clients of 2026 only', async () => {
    const { result } = await tasks.client.request('server/discover', {});
    expect(result.capabilities).toEqual({ tools: {}, extensions: { [TASKS_EXTENSION]: {} } });
    const earlier = await connectMcp(tasks.service.url, { key: tasks.service.keys.live });
    expect(earlier.getServerCapabilities()).toEqual({ tools: {} });
    await earlier.close();
  });

  it('changes nothing for other clients, other tools and keys that cannot read a task', async () => {
    const plain = taskClient(tasks.service.url, tasks.service.keys.live, { elicitation: { form: {} } });
    expect((await tasks.start('/say Now', {}, plain)).structuredContent.content).toBe('Now');
    const writer = taskClient(tasks.service.url, await makeKey(tasks.service, { scopes: ['conversations:write'] }));
    expect((await tasks.start('/say Now', {}, writer)).structuredContent.content).toBe('Now');
    expect((await tasks.client.call('list_resources', {})).structuredContent).toHaveProperty('data');
  });

  it('is needed to subscribe to tasks', async () => {
    const plain = taskClient(tasks.service.url, tasks.service.keys.live, {});
    const { error } = await plain.request('subscriptions/listen', { notifications: { taskIds: ['x'] } });
    expect(error.code).toBe(-32021);
  });
});
