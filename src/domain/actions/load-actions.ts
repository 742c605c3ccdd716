import type { Context } from '../context.ts';
import type { HttpAction } from '../workflows/config.ts';
import type { RunnableWorkflow } from '../workflows/deployments.ts';
import { offeredMcpTools } from './mcp-tools.ts';
import { type OfferedAction, sortedByName } from './offered-action.ts';
import { RESOURCE_TOOL } from './resource-tools.ts';

/**
 * Lists the server actions of a workflow by name, without complete_conversation. A failing MCP server only loses its own tools.
 */
export async function loadActions(ctx: Context, { config }: RunnableWorkflow): Promise<OfferedAction[]> {
  const ofServers = await Promise.all(config.mcpServers.map((server) => offeredMcpTools(ctx, server)));
  const built = config.resourceTools.map((name) => RESOURCE_TOOL[name].offered);
  return sortedByName([...config.httpActions.map(httpTool), ...ofServers.flat(), ...built]);
}

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const;

function httpTool({ name, description, inputSchema }: HttpAction): OfferedAction {
  return { kind: 'action', name, description, inputSchema: inputSchema ?? NO_ARGUMENTS };
}
