import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { wireError, wireErrorOf } from '../../operation/errors.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { errorFields } from '../../rest/reply.ts';
import { hasTasks, TASKS_EXTENSION } from './capabilities.ts';
import type { Message } from './message.ts';
import type { McpParts } from './parts.ts';
import { TASK_ACCESS } from './task-document.ts';
import { cancelTask, getTask, TASK_TOOL, type Task, type TaskRequest, updateTask } from './tasks.ts';
import { isUsable, type Tool } from './tool.ts';
import type { Call } from './tool-call.ts';

const TASK_PARAMS = z.looseObject({ taskId: z.string() });

/** The requests about a task. */
type TaskMethods = Readonly<
  Record<'tasks/get' | 'tasks/update' | 'tasks/cancel', (request: TaskRequest) => Promise<Task>>
>;

/** The package does not have the extension for tasks, so its requests are registered here. */
export function registerTasks(server: Server, methods: TaskMethods): void {
  for (const [method, respond] of Object.entries(methods)) {
    server.setRequestHandler(method, { params: TASK_PARAMS }, ({ taskId }, { mcpReq }) => {
      requireTasks(mcpReq);
      return respond({ taskId, mcpReq });
    });
  }
}

/** Serves the turns of the caller as tasks. */
export function serveTasks(server: Server, parts: McpParts, opened: OpenRequest): void {
  const call = { pipeline: parts.pipeline, opened };
  const turns =
    (respond: (parts: McpParts, call: Call, request: TaskRequest) => Promise<Task>) => (request: TaskRequest) =>
      respond(parts, call, request).catch((error: unknown) => {
        throw taskError(error, call);
      });
  registerTasks(server, {
    'tasks/get': turns(getTask),
    'tasks/update': turns(updateTask),
    'tasks/cancel': turns(cancelTask),
  });
}

/** Whether a call returns a task. A caller who may not read conversations could not read it. */
export function becomesTask(
  { name }: Pick<Tool, 'name'>,
  opened: OpenRequest,
  { envelope, requestState }: ServerContext['mcpReq'],
): boolean {
  return name === TASK_TOOL && hasTasks(envelope) && requestState() === undefined && isUsable(TASK_ACCESS, opened);
}

/** @throws {MissingRequiredClientCapabilityError} */
function requireTasks({ envelope }: ServerContext['mcpReq']): void {
  if (!hasTasks(envelope)) throw missingTasks();
}

const missingTasks = () =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });

/** The error of a subscription to tasks without the extension. The package ignores what it does not know. */
export function subscriptionProblem(message: unknown): ProtocolError | undefined {
  const { method, params } = (message ?? {}) as Message;
  const asksForTasks = method === 'subscriptions/listen' && params?.notifications?.taskIds !== undefined;
  return asksForTasks && !hasTasks(params?._meta) ? missingTasks() : undefined;
}

function taskError(error: unknown, { pipeline, opened }: Call): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { requestId } = opened.exchange;
  const { log } = pipeline.services.process;
  // The pipeline has described its errors.
  const wire = error instanceof GraphQLError ? wireErrorOf(error) : wireError(error, { log, requestId });
  const code = wire.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, wire.message, { ...errorFields(wire), request_id: requestId });
}
