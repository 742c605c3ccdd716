import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  QUESTION,
  requestOf,
  startTaskService,
  TASKS_EXTENSION,
  type TaskService,
  taskClient,
} from '../support/mcp-tasks.ts';

let tasks: TaskService;
beforeAll(async () => {
  tasks = await startTaskService();
});
afterAll(() => tasks.service.close());

const ANSWERS = { why: 'Because', one: 'b', many: ['c'] };
const createResource = (type: string) => `/call create_resource {"type":"${type}","fields":{}}`;
const accept = (content: object) => ({ action: 'accept', content });
const resourcesOf = async (type: string) =>
  (await tasks.client.call('list_resources', { type })).structuredContent.data as object[];

describe('a task that waits', () => {
  it('asks the questions of the agent as a form', async () => {
    const task = await tasks.settle(QUESTION, ['ask_user']);
    expect(task.status).toBe('input_required');
    expect(task.inputRequests[requestOf(task)]).toMatchObject({
      method: 'elicitation/create',
      params: {
        requestedSchema: {
          properties: {
            why: { type: 'string', title: 'Why?' },
            one: { type: 'string', enum: ['a', 'b'] },
            many: { type: 'array', items: { enum: ['c', 'd'] } },
          },
          required: ['why', 'one', 'many'],
        },
      },
    });
    const { status, result } = await tasks.answer(task, accept(ANSWERS));
    expect(status).toBe('completed');
    expect(result.structuredContent.content).toContain('Because');
  });

  it('tells the agent that the person declined its questions', async () => {
    const { result } = await tasks.answer(await tasks.settle(QUESTION, ['ask_user']), { action: 'decline' });
    expect(result.structuredContent.content).toContain('declined');
  });

  it.each([
    ['accepted', accept({ approved: true }), 1],
    ['refused', accept({ approved: false, reason: 'Not now' }), 0],
    ['declined', { action: 'decline' }, 0],
    ['empty', accept({}), 0],
  ] as const)('runs an action only if the approval is accepted: %s', async (name, response, count) => {
    const type = `task_${name}`;
    const task = await tasks.settle(createResource(type), ['approve_action']);
    const { params } = task.inputRequests[requestOf(task)];
    expect([params.message, params.requestedSchema.required]).toEqual([
      `Allow create_resource? {"type":"${type}","fields":{}}`,
      ['approved'],
    ]);
    expect((await tasks.answer(task, response)).status).toBe('completed');
    expect(await resourcesOf(type)).toHaveLength(count);
  });

  it.each([
    ['closed', { action: 'cancel' }],
    ['unknown', { action: 'surprise', content: { approved: true } }],
  ])('still waits if the form was not answered: %s', async (name, response) => {
    const task = await tasks.settle(createResource(`task_${name}`), ['approve_action']);
    expect(await tasks.answer(task, response)).toMatchObject({
      status: 'input_required',
      inputRequests: task.inputRequests,
    });
    expect(await resourcesOf(`task_${name}`)).toHaveLength(0);
    await tasks.client.cancel(task.taskId);
  });

  it.each([
    ['accept', accept({ result: 'On the left' }), 'On the left'],
    ['decline', { action: 'decline' }, 'declined'],
  ])('takes the result of a tool of the client: %s', async (_name, response, said) => {
    const tool = { name: 'look', input_schema: { type: 'object' } };
    const task = await tasks.settle('/call look {"at":"the map"}', [tool]);
    expect(task.inputRequests[requestOf(task)].params.message).toContain('{"at":"the map"}');
    expect((await tasks.answer(task, response)).result.structuredContent.content).toContain(said);
  });

  it('ignores answers to other calls, and to calls that have an answer', async () => {
    const task = await tasks.settle(QUESTION, ['ask_user']);
    await tasks.client.update(task.taskId, { call_unknown: accept({}) });
    expect((await tasks.client.get(task.taskId)).status).toBe('input_required');
    const ended = await tasks.answer(task, accept(ANSWERS));
    expect(await tasks.answer(task, accept({ ...ANSWERS, why: 'Too late' }))).toEqual(ended);
  });

  it('reports an answer that does not fit, and still waits', async () => {
    const task = await tasks.settle(QUESTION, ['ask_user']);
    const params = { taskId: task.taskId, inputResponses: { [requestOf(task)]: accept({ why: '' }) } };
    const { error } = await tasks.client.request('tasks/update', params);
    expect([error.code, error.data.code]).toEqual([-32602, 'invalid_tool_result']);
    expect((await tasks.client.get(task.taskId)).status).toBe('input_required');
  });

  it('takes the answers of all its calls together', async () => {
    const task = await tasks.settle(`${createResource('task_both')} && ${QUESTION}`, ['approve_action', 'ask_user']);
    const keys = Object.keys(task.inputRequests);
    expect(keys).toHaveLength(2);
    const [first = '', second = ''] = keys;
    const one = { [first]: accept({ approved: true, ...ANSWERS }) };
    const { error } = await tasks.client.request('tasks/update', { taskId: task.taskId, inputResponses: one });
    expect([error.code, error.message.includes(second)]).toEqual([-32602, true]);
    await tasks.client.update(task.taskId, { ...one, [second]: accept({ approved: true, ...ANSWERS }) });
    expect((await tasks.client.settled(task.taskId)).status).toBe('completed');
    expect(await resourcesOf('task_both')).toHaveLength(1);
  });

  it.each([
    ['a client without forms', { extensions: { [TASKS_EXTENSION]: {} } }, QUESTION, 'ask_user'],
    ['a file', undefined, '/call upload_document {"prompt":"A file"}', 'upload_document'],
  ])('names what it waits for if no form can ask: %s', async (_case, capabilities, script, name) => {
    const own = taskClient(tasks.service.url, tasks.service.keys.live, capabilities);
    const { taskId } = await tasks.start(script, { client_capabilities: [name] }, own);
    const task = await own.settled(taskId);
    expect(task).toMatchObject({ status: 'input_required', inputRequests: {} });
    expect(task.statusMessage).toMatch(new RegExp(`${name}.*resume_conversation`));
    await own.cancel(taskId);
  });

  const OTHERS = ['later', 'evenLater', 'last', 'tooLate'];

  // Only some races end after the turn was read and before its answers are stored.
  it.each([1, 2, 3, 4])('is answered once: over MCP, REST or GraphQL (race %s)', async () => {
    const task = await tasks.settle(QUESTION, ['ask_user']);
    const key = requestOf(task);
    const answers = (why: string) => Object.entries({ ...ANSWERS, why }).map(([id, value]) => ({ id, value }));
    const { conversation_id } = (await tasks.client.call('search_conversations', { limit: 1 })).structuredContent
      .data[0];
    const results = await Promise.all([
      tasks.client.update(task.taskId, { [key]: accept({ ...ANSWERS, why: 'overMcp' }) }),
      tasks.service.send('POST', `/v2/runner/${tasks.deploymentId}/conversation`, {
        body: { conversation_id, tool_results: [{ call_id: key, output: { answers: answers('overRest') } }] },
      }),
      tasks.service.send('POST', '/graphql', {
        body: {
          query: `mutation($input: ResumeAgentTurnInput!) { resumeAgentTurn(input: $input) { __typename } }`,
          variables: {
            input: {
              ...{ deploymentId: tasks.deploymentId, conversationId: conversation_id },
              toolResults: [{ callId: key, output: { answers: answers('overGraphql') } }],
            },
          },
        },
      }),
      ...OTHERS.map((why) => tasks.client.update(task.taskId, { [key]: accept({ ...ANSWERS, why }) })),
    ]);
    const { content } = (await tasks.client.settled(task.taskId)).result.structuredContent;
    const winners = ['overMcp', ...OTHERS, 'overRest', 'overGraphql'].filter((word) => content.includes(`"${word}"`));
    expect(winners).toHaveLength(1);
    expect(results[1].status).toBe(winners[0] === 'overRest' ? 200 : 409);
    const isAccepted = results[2].body.data?.resumeAgentTurn.__typename === 'ResumeAgentTurnPayload';
    expect(isAccepted).toBe(winners[0] === 'overGraphql');
  });
});

describe('answers', () => {
  it.each([null, 'x', [], [1], { a: null }, { a: 'x' }, { a: { action: 'accept', content: [] } }])(
    'of the odd form %j change nothing',
    async (inputResponses) => {
      const task = await tasks.settle(QUESTION, ['ask_user']);
      await tasks.client.request('tasks/update', { taskId: task.taskId, inputResponses });
      expect((await tasks.client.get(task.taskId)).status).toBe('input_required');
      await tasks.client.cancel(task.taskId);
    },
  );

  it.each([null, 'text', 1, [], [{ approved: true }], { approved: 'true' }, { approved: 1 }])(
    'with the content %j approve nothing',
    async (content) => {
      const task = await tasks.settle(createResource('task_odd'), ['approve_action']);
      await tasks.client.request('tasks/update', {
        taskId: task.taskId,
        inputResponses: { [requestOf(task)]: { action: 'accept', content } },
      });
      await tasks.client.settled(task.taskId);
      expect(await resourcesOf('task_odd')).toHaveLength(0);
    },
  );
});
