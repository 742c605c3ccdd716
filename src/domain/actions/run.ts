import { formatPath, ServiceError } from '../../contract/errors.ts';
import type { ActionSource } from '../../contract/statuses.ts';
import type { ResourceTool } from '../../contract/tool-names.ts';
import type { Context } from '../context.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import type { RunnableWorkflow } from '../workflows/deployments.ts';
import { ActionFailure } from './failure.ts';
import { runHttpAction } from './http-action.ts';
import { runMcpTool } from './mcp-tools.ts';
import type { OfferedAction } from './offered.ts';
import { toldOf } from './output.ts';
import { RESOURCE_TOOL } from './resource-tools.ts';

/** What a server tool gave. `output` is what the model is told; it holds no secret. */
export interface ActionResult {
  readonly status: 'completed' | 'failed';
  readonly output: Readonly<Record<string, unknown>>;
}

/** A call of an offered action; its arguments are as the schema has them. */
export interface ActionCall {
  readonly tool: Omit<OfferedAction, 'description' | 'inputSchema'>;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Runs an action once. Whether the workflow still has it is asked again, since a resumed run keeps the tools that it
 * was offered. Never throws: a fault is a failed result.
 */
export async function runAction(
  ctx: Context,
  deployment: RunnableWorkflow,
  call: ActionCall,
  signal: AbortSignal,
): Promise<ActionResult> {
  const source = sourceOf(call.tool);
  const startedAt = ctx.now().getTime();
  const result = await attempt(ctx, deployment.config, call, signal);
  ctx.services.observer.actionRan(source, result.status, ctx.now().getTime() - startedAt);
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
    if (signal.aborted) return failed('The turn was stopped before this began.');
    return { status: 'completed', output: await perform(ctx, config, call, signal) };
  } catch (error) {
    if (signal.aborted) return failed('The turn was stopped meanwhile: whether this did anything is not known.');
    const told = failureOf(error);
    if (told) {
      ctx.services.log.warn({ ...facts, fault: told.message }, 'an action failed');
      return failed(told.message, told.facts);
    }
    ctx.services.log.error({ ...facts, err: error }, 'an action failed unexpectedly');
    return failed('The action failed on the side of this service.');
  }
}

function perform(
  ctx: Context,
  config: WorkflowConfig,
  { tool, arguments: given }: ActionCall,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { source } = tool;
  if (tool.kind === 'tool') return useResources(ctx, config, tool.name, given);
  if (source) {
    const server = config.mcpServers.find(({ name }) => name === source.server);
    if (server) return runMcpTool(ctx, server, { tool: source.tool, arguments: given }, signal);
  }
  const action = config.httpActions.find(({ name }) => name === tool.name);
  if (!source && action) return runHttpAction(ctx, action, given, signal);
  throw new ActionFailure('This tool is no longer offered.');
}

async function useResources(
  ctx: Context,
  { resourceTools }: WorkflowConfig,
  name: string,
  given: ActionCall['arguments'],
): Promise<Readonly<Record<string, unknown>>> {
  const known = resourceTools.find((tool): tool is ResourceTool => tool === name);
  if (!known) throw new ActionFailure('This tool is no longer offered.');
  return toldOf(await RESOURCE_TOOL[known].run(ctx, given), (text) => text);
}

function failureOf(error: unknown): ActionFailure | undefined {
  if (error instanceof ActionFailure) return error;
  if (!(error instanceof ServiceError)) return undefined;
  const { param } = error.details;
  return new ActionFailure(error.message.replaceAll('{param}', () => (param ? formatPath(param) : 'The call')));
}

function failed(error: string, facts: ActionFailure['facts'] = {}): ActionResult {
  return { status: 'failed', output: { error, ...facts } };
}

function sourceOf({ kind, source }: ActionCall['tool']): ActionSource {
  if (kind === 'tool') return 'resource';
  return source ? 'mcp' : 'http';
}
