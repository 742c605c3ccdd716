import { mayMatch } from '../json-schema/value-problem.ts';
import type { Approval, WorkflowConfig } from '../workflows/config.ts';
import { mcpPrefix } from '../workflows/server-tool-names.ts';
import { configuredTool, type ToolName } from './configured-tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The approval that a call of an action needs. Undefined: it runs at once. The rule of a tool of an MCP server has the
 * server's own name of the tool, because other tools can have the same name for the model.
 */
export function approvalOf(config: WorkflowConfig, tool: ToolName, args: Arguments): Approval | undefined {
  const rule = config.toolApprovals.find((one) => one.tool === ruleName(tool));
  if (rule) return needed(rule, args);
  return needed(configuredTool(config, tool)?.approval, args) ?? needed(ruleByModelName(config, tool), args);
}

/** The name of a tool in `toolApprovals`. */
function ruleName({ name, source }: ToolName): string {
  return source ? `${mcpPrefix(source.server)}${source.tool}` : name;
}

/**
 * A rule of an earlier release, which has the name that the model calls. It can only add an approval: the server can give
 * that name to another tool, which must not run without the approval of the server.
 */
function ruleByModelName({ toolApprovals }: WorkflowConfig, { name, source }: ToolName): Approval | undefined {
  return source && toolApprovals.find(({ tool }) => tool === name);
}

function needed(approval: Approval | undefined, args: Arguments): Approval | undefined {
  if (!approval || approval.mode === 'never') return undefined;
  if (approval.mode === 'when' && approval.when && !mayMatch(approval.when, args)) return undefined;
  return approval;
}
