import type { Context } from '../context.ts';
import type { HttpAction } from '../workflows/config.ts';
import type { RunnableWorkflow } from '../workflows/deployments.ts';
import { offeredMcpTools } from './mcp-tools.ts';
import { RESOURCE_TOOL } from './resource-tools.ts';

/** A tool that the server runs, as it is kept with the run. `tool` is a built-in one, `action` a configured one. */
export interface OfferedAction {
  readonly kind: 'tool' | 'action';
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Where it is a tool of an MCP server: by its name in the workflow, and the tool's name there. */
  readonly source?: { readonly server: string; readonly tool: string };
}

/** What a workflow lets the model have run by the server, complete_conversation aside. Never throws for a server's fault. */
export async function offeredActions(ctx: Context, { config }: RunnableWorkflow): Promise<OfferedAction[]> {
  const ofServers = await Promise.all(config.mcpServers.map((server) => offeredMcpTools(ctx, server)));
  const built = config.resourceTools.map((name) => RESOURCE_TOOL[name].offered);
  return [...config.httpActions.map(httpTool), ...ofServers.flat(), ...built];
}

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const;

function httpTool({ name, description, inputSchema }: HttpAction): OfferedAction {
  return { kind: 'action', name, description, inputSchema: inputSchema ?? NO_ARGUMENTS };
}
