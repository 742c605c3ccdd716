import type { WorkflowConfig } from '../workflows/config.ts';
import { configuredTool, type ToolName } from './configured-tool.ts';

const READS: ReadonlySet<string> = new Set(['find_resources', 'read_resource']);

/** Whether a call of an action may run a second time if the outcome of the first is unknown. */
export function isRetrySafe(config: WorkflowConfig, tool: ToolName): boolean {
  if (tool.kind === 'tool') return READS.has(tool.name);
  return configuredTool(config, tool)?.retrySafe === true;
}
