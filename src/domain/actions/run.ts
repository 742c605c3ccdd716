import { formatPath, ServiceError } from '../../contract/errors.ts';
import type { ActionSource } from '../../contract/statuses.ts';
import type { ResourceTool } from '../../contract/tool-names.ts';
import type { Context } from '../context.ts';
import { elapsedMs } from '../telemetry.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import type { RunnableWorkflow } from '../workflows/deployments.ts';
import { ActionError } from './action-error.ts';
import { runHttpAction } from './http-action.ts';
import { runMcpTool } from './mcp-tools.ts';
import type { OfferedAction } from './offered-action.ts';
import { modelOutput } from './output.ts';
import { isReadFile, readFileAgain } from './read-file.ts';
import { RESOURCE_TOOL } from './resource-tools.ts';

/** The result of a server tool. The model sees `output`, which contains no secrets. */
export interface ActionResult {
  readonly status: 'completed' | 'failed';
  readonly output: Readonly<Record<string, unknown>>;
}

/** A call of an offered action, with arguments that match its schema. */
export interface ActionCall {
  /** Unique among all calls. */
  readonly callId: string;
  readonly tool: Omit<OfferedAction, 'description' | 'inputSchema'>;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Undefined: the run has no conversation. */
  readonly conversationId?: string | undefined;
}

/**
 * Runs an action once. It checks again that the workflow has the action, because a resumed run keeps its list of tools.
 * Never throws: an error becomes a failed result.
 */
export async function runAction(
  ctx: Context,
  deployment: RunnableWorkflow,
  call: ActionCall,
  signal: AbortSignal,
): Promise<ActionResult> {
  const source = sourceOf(call.tool);
  const { services } = ctx;
  const startedMs = services.process.monotonicMs();
  const { tracing } = services.process;
  const result = await (tracing
    ? tracing.action({ ...call, name: call.tool.name, source }, () => attempt(ctx, deployment.config, call, signal))
    : attempt(ctx, deployment.config, call, signal));
  services.process.observer.actionRan(source, result.status, elapsedMs(services.process, startedMs));
  return result;
}

async function attempt(
  ctx: Context,
  config: WorkflowConfig,
  call: ActionCall,
  signal: AbortSignal,
): Promise<ActionResult> {
  const facts = { request_id: ctx.request.id, action: call.tool.name };
  try {
    if (signal.aborted) return failed('The turn was stopped before this action started.');
    return { status: 'completed', output: await perform(ctx, config, call, signal) };
  } catch (error) {
    if (signal.aborted) return failed('The turn was stopped while this action ran. Its effect is not known.');
    const actionError = actionErrorOf(error);
    if (actionError) {
      // The message of a rejection can repeat the model's arguments, so only the code is logged.
      const fault = error instanceof ServiceError ? error.code : actionError.message;
      ctx.services.process.log.warn({ ...facts, fault }, 'an action failed');
      return failed(actionError.message, actionError.facts);
    }
    ctx.services.process.log.error({ ...facts, err: error }, 'an action failed unexpectedly');
    return failed('The action failed because of an error of this service.');
  }
}

function perform(
  ctx: Context,
  config: WorkflowConfig,
  { callId, tool, arguments: args, conversationId }: ActionCall,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { source } = tool;
  if (isReadFile(tool)) return readFileAgain(ctx, config, conversationId, args);
  if (tool.kind === 'tool') return useResources(ctx, config, tool.name, args);
  if (source) {
    const server = config.mcpServers.find(({ name }) => name === source.server);
    if (server) return runMcpTool(ctx, server, { tool: source.tool, arguments: args, conversationId }, signal);
  }
  const action = config.httpActions.find(({ name }) => name === tool.name);
  if (!source && action) return runHttpAction(ctx, action, { callId, arguments: args }, signal);
  throw new ActionError('This tool is no longer available.');
}

async function useResources(
  ctx: Context,
  { resourceTools }: WorkflowConfig,
  name: string,
  args: ActionCall['arguments'],
): Promise<Readonly<Record<string, unknown>>> {
  const known = resourceTools.find((tool): tool is ResourceTool => tool === name);
  if (!known) throw new ActionError('This tool is no longer available.');
  return modelOutput(await RESOURCE_TOOL[known].run(ctx, args), (text) => text);
}

function actionErrorOf(error: unknown): ActionError | undefined {
  if (error instanceof ActionError) return error;
  if (!(error instanceof ServiceError)) return undefined;
  const { param } = error.details;
  return new ActionError(error.message.replaceAll('{param}', () => (param ? formatPath(param) : 'The call')));
}

function failed(error: string, facts: ActionError['facts'] = {}): ActionResult {
  return { status: 'failed', output: { error, ...facts } };
}

function sourceOf(tool: ActionCall['tool']): ActionSource {
  if (isReadFile(tool)) return 'file';
  if (tool.kind === 'tool') return 'resource';
  return tool.source ? 'mcp' : 'http';
}
