import type { HttpAction, McpServerConfig, WorkflowConfig } from '../workflows/config.ts';
import type { OfferedAction } from './offered-action.ts';

/** What identifies a tool that the server runs. */
export type ToolName = Pick<OfferedAction, 'kind' | 'name' | 'source'>;

/** The HTTP action or the MCP server of a tool. Undefined for built-in tools. */
export function configuredTool(
  { httpActions, mcpServers }: WorkflowConfig,
  { kind, name, source }: ToolName,
): HttpAction | McpServerConfig | undefined {
  if (kind === 'tool') return undefined;
  if (source) return mcpServers.find((server) => server.name === source.server);
  return httpActions.find((action) => action.name === name);
}
