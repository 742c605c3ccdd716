import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { publishScripted } from './actions.ts';
import type { HttpResponse } from './client.ts';
import { headersOf, lastMessage, META, messageOf, sendRaw } from './mcp-messages.ts';
import { startService, type TestService } from './service.ts';
import { until } from './until.ts';
import { workflowsOf } from './workflows.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What a client with tasks, whose person fills in forms, declares. */
const TASK_CAPABILITIES = { extensions: { [TASKS_EXTENSION]: {} }, elicitation: { form: {} } };

type Body = HttpResponse['body'];

/** A client of the extension for tasks, which the official client does not have. */
export interface TaskClient {
  /** Sends a request. Returns the whole message of the response. */
  request(method: string, params: object): Promise<Body>;
  /** Calls a tool. Returns its result. */
  call(name: string, args: object): Promise<Body>;
  get(taskId: string): Promise<Body>;
  update(taskId: string, inputResponses: object): Promise<Body>;
  cancel(taskId: string): Promise<Body>;
  /** Polls until the task is no longer working. */
  settled(taskId: string): Promise<Body>;
}

export function taskClient(url: string, key: string, capabilities: object = TASK_CAPABILITIES): TaskClient {
  const meta = { ...META, [CLIENT_CAPABILITIES_META_KEY]: capabilities };
  async function request(method: string, params: object): Promise<Body> {
    const body = messageOf('2026', { method, params: { _meta: meta, ...params } });
    return lastMessage(await sendRaw(url, key, { body, headers: headersOf('2026', body) }));
  }
  const resultOf = async (method: string, params: object): Promise<Body> => {
    const message = await request(method, params);
    if (message.error) throw new Error(JSON.stringify(message.error));
    return message.result;
  };
  const get = (taskId: string) => resultOf('tasks/get', { taskId });
  return {
    request,
    call: (name, args) => resultOf('tools/call', { name, arguments: args }),
    get,
    update: (taskId, inputResponses) => resultOf('tasks/update', { taskId, inputResponses }),
    cancel: (taskId) => resultOf('tasks/cancel', { taskId }),
    settled: (taskId) =>
      until(async () => {
        const task = await get(taskId);
        return task.status !== 'working' && task;
      }),
  };
}

/** A service with an agent that pauses, and a client of its tasks. */
export interface TaskService {
  readonly service: TestService;
  readonly client: TaskClient;
  readonly deploymentId: string;
  /** Calls ask_deployment. */
  start(text: string, fields?: object, by?: TaskClient): Promise<Body>;
  /** Starts a task, and waits until it no longer works. */
  settle(text: string, capabilities?: readonly unknown[]): Promise<Body>;
  /** Answers the only request of a task, and polls until it no longer works. */
  answer(task: Body, response: object): Promise<Body>;
}

export async function startTaskService(): Promise<TaskService> {
  const service = await startService();
  const client = taskClient(service.url, service.keys.live);
  const draft = {
    clientTools: ['ask_user', 'upload_document'].map((name) => ({ name, availability: 'ALWAYS' })),
    resourceTools: ['CREATE_RESOURCE'],
    toolApprovals: [{ tool: 'create_resource', mode: 'ALWAYS', approver: 'CLIENT', allowAnonymous: false }],
  };
  const { deploymentId } = await publishScripted(service, workflowsOf(service), draft);
  const start: TaskService['start'] = (text, fields = {}, by = client) =>
    by.call('ask_deployment', { deployment_id: deploymentId, content: [{ type: 'text', text }], ...fields });
  return {
    ...{ service, client, deploymentId, start },
    async settle(text, capabilities = []) {
      const { taskId } = await start(text, { client_capabilities: capabilities });
      return client.settled(taskId);
    },
    async answer(task, response) {
      await client.update(task.taskId, { [requestOf(task)]: response });
      return client.settled(task.taskId);
    },
  };
}

/** The key of the first request of a task. */
export const requestOf = (task: Body): string => Object.keys(task.inputRequests)[0] ?? '';

/** A script with questions of each type. */
export const QUESTION = `/call ask_user ${JSON.stringify({
  questions: [
    { id: 'why', question: 'Why?', input_type: 'text' },
    { id: 'one', question: 'Which?', input_type: 'single_select', options: ['a', 'b', 'a'] },
    { id: 'many', question: 'Which ones?', input_type: 'multi_select', options: ['c', 'd'] },
  ],
})}`;
