import { HAND_OVER_TOOL, READ_FILE_TOOL } from '../../contract/tool-names.ts';
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

/** Built-in tools that a second call changes nothing of: they read, or the conversation waits already. */
const REPEATABLE: ReadonlySet<string> = new Set(['find_resources', 'read_resource', READ_FILE_TOOL, HAND_OVER_TOOL]);

/** Whether a call of an action may run a second time if the outcome of the first is unknown. */
export function isRetrySafe(config: WorkflowConfig, tool: ToolName): boolean {
  if (tool.kind === 'tool') return REPEATABLE.has(tool.name);
  return configuredTool(config, tool)?.retrySafe === true;
}
