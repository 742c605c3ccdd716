import {
  type CallToolResult,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { GraphQLError } from 'graphql';
import { type ErrorCode, ServiceError } from '../../contract/errors.ts';
import { isRetryable } from '../../contract/run-failures.ts';
import { wireError } from '../../operation/errors.ts';
import { failure, success } from './call.ts';
import { stopTurn } from './cancellation.ts';
import { canAsk } from './capabilities.ts';
import type { McpParts } from './parts.ts';
import { readTask, type TaskRun } from './task-document.ts';
import { inputRequestsFor, outputOf } from './task-inputs.ts';
import type { Call } from './tool-call.ts';
import { type Arguments, routeInput } from './tool-input.ts';
import { FOR_PERSON, preferring, run, startTurn, turnFailure } from './turn.ts';
import type { TurnTool } from './turn-tools.ts';

/** The tool whose calls become tasks. */
export const TASK_TOOL = 'ask_deployment';

/** A task of the extension: a turn. */
export type Task = Readonly<Record<string, unknown>>;

/** A request about a task. */
export interface TaskRequest {
  readonly taskId: string;
  readonly mcpReq: ServerContext['mcpReq'];
}

const POLL_INTERVAL_MS = 1_000;

/** A task exists as long as its conversation. */
const NO_TTL = null;

/** Starts a turn. It is stored before the call returns, and every process can read it. */
export async function startTask(tool: TurnTool, args: Arguments, call: Call): Promise<Task | CallToolResult> {
  try {
    const { started } = await startTurn(tool, args, call);
    const turn = await foundTask(tool, String(started.run_id), call);
    return { resultType: 'task', ...stateOf(turn) };
  } catch (error) {
    return turnFailure(tool, error, call);
  }
}

/** The state of a task, with what its client needs next. */
export async function getTask(parts: McpParts, call: Call, { taskId, mcpReq }: TaskRequest): Promise<Task> {
  const turn = await foundTask(askTool(parts), taskId, call);
  const state = stateOf(turn);
  if (state.status === 'completed') return { ...state, result: resultOf(turn, call) };
  if (state.status !== 'input_required') return state;
  const inputRequests = canAsk(mcpReq.envelope) ? inputRequestsFor(turn.pending) : undefined;
  if (inputRequests) return { ...state, inputRequests };
  const names = turn.pending.map(({ name }) => name).join(', ');
  const statusMessage = `The turn waits for ${names}, which no form of this client can answer. The conversation is ${turn.conversationId}: see resume_conversation.`;
  return { ...state, statusMessage, inputRequests: {} };
}

/**
 * Resumes the turn of a task with the answers of a person. Answers to calls that do not wait any longer are ignored, as
 * the extension has it: the first ones have won.
 */
export async function updateTask(parts: McpParts, call: Call, { taskId, mcpReq }: TaskRequest): Promise<Task> {
  const tool = askTool(parts);
  const turn = await foundTask(tool, taskId, call);
  if (!isWaiting(turn)) return {};
  const answers = turn.pending.map((one) => ({ one, response: inputResponse(mcpReq.inputResponses, one.call_id) }));
  const missing = answers.filter(({ response }) => response.kind !== 'elicit');
  if (missing.length === answers.length) return {};
  if (missing.length > 0) {
    const names = missing.map(({ one }) => one.call_id).join(', ');
    throw invalidParams(`inputResponses must answer all requests of the task together. Missing: ${names}.`);
  }
  const results = answers.map(({ one, response }) => ({ call_id: one.call_id, output: outputOf(one, response) }));
  if (results.some(({ output }) => output === undefined)) return {};
  const { deploymentId: deployment_id, conversationId: conversation_id } = turn;
  const input = routeInput(tool, { deployment_id, conversation_id, tool_results: results });
  await run(tool.routes.run, preferring(input, 'respond-async'), call).catch((error: unknown) => {
    if (!isLate(error)) throw error;
  });
  return {};
}

/** Stops the turn of a task. A task that has ended stays as it is. */
export async function cancelTask(parts: McpParts, call: Call, { taskId }: TaskRequest): Promise<Task> {
  const turn = await foundTask(askTool(parts), taskId, call);
  await stopTurn(parts, call.opened, turn);
  return {};
}

/** The tool whose calls are tasks. */
function askTool({ turnTools }: McpParts): TurnTool {
  const tool = turnTools.get(TASK_TOOL);
  if (!tool) throw new Error(`There is no tool ${TASK_TOOL}.`);
  return tool;
}

/** A task of others is as unknown as one that does not exist. @throws {ProtocolError} InvalidParams */
async function foundTask({ routes }: TurnTool, taskId: string, call: Call): Promise<TaskRun> {
  const turn = await readTask(routes.run.schema, taskId, call);
  if (!turn) throw invalidParams('Task not found.');
  return turn;
}

const invalidParams = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** A turn whose answers were just accepted can still have the status of a waiting one. */
const isWaiting = ({ status, pending }: TaskRun) => status === 'waiting_for_client_action' && pending.length > 0;

function stateOf(turn: TaskRun) {
  const { runId, createdAt, updatedAt, failure: cause } = turn;
  return {
    taskId: runId,
    status: statusOf(turn),
    ...(cause && { statusMessage: cause.message }),
    ...{ createdAt, lastUpdatedAt: updatedAt, ttlMs: NO_TTL, pollIntervalMs: POLL_INTERVAL_MS },
  };
}

/**
 * The extension keeps `failed` for errors of the protocol. A turn that failed is a completed task whose result is an
 * error of the tool, as without tasks.
 */
function statusOf(turn: TaskRun): 'working' | 'input_required' | 'completed' | 'cancelled' {
  if (isWaiting(turn)) return 'input_required';
  if (turn.status === 'running' || turn.status === 'waiting_for_client_action') return 'working';
  return isCancelled(turn) ? 'cancelled' : 'completed';
}

function isCancelled({ status, finishReason, failure: cause }: TaskRun): boolean {
  return status === 'interrupted' && (finishReason === 'stopped' || cause?.reason === 'cancelled');
}

/** What the call would have returned if it had waited. */
function resultOf(turn: TaskRun, { pipeline, opened }: Call): CallToolResult {
  const { runId: run_id, conversationId: conversation_id, status: run_status, failure: cause } = turn;
  if (run_status === 'failed' || run_status === 'expired') {
    const code = cause?.reason === 'model_timeout' ? 'model_timeout' : 'model_error';
    const message = 'The turn failed. Your message is stored. Send the next one.';
    const details = {
      facts: { conversation_id, run_id },
      failure: { isRetryable: isRetryable(cause?.reason ?? null) },
    };
    const { requestId } = opened.exchange;
    const { log } = pipeline.services.process;
    return failure(wireError(new ServiceError(code, message, details), { log, requestId }), requestId);
  }
  const content = cause === null ? turn.reply : '';
  const own = { conversation_id, run_id, run_status };
  // The message was only stored.
  if (turn.handledBy) return success({ ...own, content: FOR_PERSON, handled_by: turn.handledBy, pending_actions: [] });
  return success({ ...own, content, pending_actions: [] });
}

/** The errors of answers that come too late. */
const LATE: ReadonlySet<unknown> = new Set([
  'action_expired',
  'action_result_conflict',
  'conversation_completed',
  'run_expired',
  'unknown_call_id',
] satisfies ErrorCode[]);

const isLate = (error: unknown) => error instanceof GraphQLError && LATE.has(error.extensions.code);
