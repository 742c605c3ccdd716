import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { hasTasks } from '../../../src/transports/mcp/capabilities.ts';
import { registerTasks } from '../../../src/transports/mcp/serve-tasks.ts';
import { elicit, text } from './input-tools.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A task of the suite. It lives in the memory of the test. */
interface FixtureTask {
  state: object & { readonly status: string };
  readonly createdAt: string;
  readonly waiting: InputRequests;
}

const tasks = new Map<string, FixtureTask>();

const completed = (result: object) => ({ status: 'completed', result });

function create(waiting: InputRequests = {}): FixtureTask & { readonly taskId: string } {
  const status = Object.keys(waiting).length > 0 ? 'input_required' : 'working';
  const task = { state: { status }, createdAt: new Date().toISOString(), waiting };
  const taskId = randomUUID();
  tasks.set(taskId, task);
  return Object.assign(task, { taskId });
}

/** Creates a task that ends after some time, unless it is cancelled. */
function endLater(ms: number, end: FixtureTask['state']): object {
  const task = create();
  setTimeout(() => {
    if (task.state.status === 'working') task.state = end;
  }, ms).unref();
  return created(task);
}

const shownState = (taskId: string, { state, createdAt }: FixtureTask) => ({
  ...{ taskId, ...state, createdAt, lastUpdatedAt: createdAt, ttlMs: null, pollIntervalMs: 100 },
});

function created(task: FixtureTask & { readonly taskId: string }): object {
  return { resultType: 'task', ...shownState(task.taskId, task) };
}

const NAME = elicit('What is your name?', 'name');

/** The tools of the suite that can be tasks. The suite gives their names and results. */
const TOOLS: Readonly<Record<string, (args: Arguments, request: ServerContext['mcpReq']) => object>> = {
  greet: ({ name }) => text(`Hello, ${name}!`),
  slow_compute({ seconds }, { envelope }) {
    const result = text('Computed');
    return hasTasks(envelope) ? endLater(Number(seconds) * 1_000, completed(result)) : result;
  },
  failing_job(_args, { envelope }) {
    const result = { ...text('It failed.'), isError: true };
    return hasTasks(envelope) ? endLater(100, completed(result)) : result;
  },
  protocol_error_job: () =>
    endLater(100, {
      status: 'failed',
      error: { code: ProtocolErrorCode.InternalError, message: 'It failed.' },
    } as never),
  confirm_delete: () => created(create({ confirm: elicit('Delete it?', 'confirm', { type: 'boolean' }) })),
  multi_input: () => created(create({ first: NAME, second: NAME })),
  test_tool_with_task(_args, { inputResponses }) {
    const response = inputResponse(inputResponses, 'user_name');
    if (response.kind !== 'elicit') return inputRequired({ inputRequests: { user_name: NAME } });
    return endLater(0, completed(text(`Hello, ${JSON.stringify(response.content)}!`)));
  },
};

function found(taskId: string): FixtureTask {
  const task = tasks.get(taskId);
  if (task) return task;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found.');
}

export function registerTaskTools(server: McpServer): void {
  const inputSchema = fromJsonSchema<Arguments>({ type: 'object' });
  for (const [name, call] of Object.entries(TOOLS)) {
    server.registerTool(
      name,
      { description: 'A tool of the conformance suite.', inputSchema },
      // The types of the package do not have tasks.
      (args, { mcpReq }) => call(args, mcpReq) as CallToolResult | InputRequiredResult,
    );
  }
  registerTasks(server.server, {
    async 'tasks/get'({ taskId }) {
      const task = found(taskId);
      const { status } = task.state;
      return {
        ...shownState(taskId, task),
        ...(status === 'input_required' && { inputRequests: { ...task.waiting } }),
      };
    },
    async 'tasks/update'({ taskId, mcpReq }) {
      const task = found(taskId);
      for (const key of Object.keys(mcpReq.inputResponses ?? {})) delete task.waiting[key];
      if (Object.keys(task.waiting).length === 0) task.state = completed(text('Answered'));
      return {};
    },
    async 'tasks/cancel'({ taskId }) {
      const task = found(taskId);
      if (['working', 'input_required'].includes(task.state.status)) task.state = { status: 'cancelled' };
      return {};
    },
  });
}
